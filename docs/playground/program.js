// Asks the playground's program, which runs in a worker: one request at a time. Cancel ends the worker, because the program cannot be
// interrupted.
"use strict";

const Program = (() => {
  // The page loads both files once, so that a new worker after Cancel needs no connection.
  const load = async (name) => {
    const answer = await fetch(`playground/${name}`).catch(() => ({ ok: false, status: "no connection" }));
    if (!answer.ok) throw new Error(`the program cannot be loaded (${name}: ${answer.status}); reload the page`);
    return answer.arrayBuffer();
  };
  const url = (script) => URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const loaded = Promise.all([load("worker.js").then(url), load("tulle.wasm").then((bytes) => WebAssembly.compile(bytes))]);

  let worker = null, waiting = null, number = 0;
  function end(act) {
    const was = waiting;
    waiting = null;
    if (was) act(was);
  }
  function stop() {
    worker?.terminate();
    worker = null;
  }
  function start([script, program]) {
    worker = new Worker(script);
    worker.onerror = ({ message }) => { stop(); end(({ reject }) => reject(new Error(`the program stopped: ${message}`))); };
    worker.onmessage = ({ data }) => {
      if (data.number !== waiting?.number) return;
      if (data.stopped) stop();
      end(({ resolve, reject }) => (data.error ? reject(new Error(data.error)) : resolve(data.answer)));
    };
    worker.postMessage({ program });
  }
  const ask = (request) => new Promise((resolve, reject) => {
    const mine = (waiting = { number: ++number, resolve, reject });
    loaded.then((files) => {
      if (waiting !== mine) return;
      if (!worker) start(files);
      worker.postMessage({ number: mine.number, request });
    }).catch((error) => end(() => reject(error)));
  });
  function cancel() {
    stop();
    end(({ reject }) => reject(new Error("cancelled")));
  }
  return { ask, cancel };
})();
