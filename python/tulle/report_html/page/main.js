"use strict";

{
  const data = JSON.parse(document.getElementById("data").textContent);
  tulleTables.start();
  tulleCharts.start(data.charts);
  document.querySelectorAll(".network").forEach((place) => tulleNetwork(place, data.networks[place.dataset.network]));
  document.documentElement.dataset.ready = "yes";
}
