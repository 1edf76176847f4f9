// Runs the playground's program. A message is a request; the reply is the answer with the same number.
"use strict";

const program = WebAssembly.instantiateStreaming(fetch("tulle.wasm"), {});

function ask({ alloc, run, free, memory }, request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const place = alloc(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const answer = run(place, bytes.length);
  const length = new DataView(memory.buffer).getUint32(answer, true);
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, length));
  free(answer);
  return JSON.parse(text);
}

onmessage = async ({ data: { number, request } }) => {
  try {
    const { instance } = await program;
    postMessage({ number, ...ask(instance.exports, request) });
  } catch (error) {
    // After a trap, the program's memory is not consistent: the page starts a new worker.
    postMessage({ number, error: `the program stopped: ${error.message}`, stopped: true });
  }
};
