// The service worker of the playground. It stores the files of the page, and answers with them if there is no connection. Its scope is the
// prefix `playground` of the site's root, because the scope must contain both playground.html and the folder playground/.
"use strict";

const STORE = "tulle-playground";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

// A message lists the files that the page loaded before this worker controlled it.
addEventListener("message", (event) => event.waitUntil(store(event.data).then(() => event.source.postMessage("stored"))));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});

async function store(files) {
  const cache = await caches.open(STORE);
  const missing = await Promise.all(files.map(async (file) => (await cache.match(file)) === undefined));
  await cache.addAll(files.filter((_, at) => missing[at]));
}

// The network comes first, so that a new version of the site is shown at once.
async function answer(request) {
  const cache = await caches.open(STORE);
  try {
    const fresh = await fetch(request);
    if (fresh.status === 200) await cache.put(request, fresh.clone());
    return fresh;
  } catch (error) {
    const stored = await cache.match(request, { ignoreSearch: true, ignoreVary: true });
    if (stored === undefined) throw error;
    return stored;
  }
}
