// Runs the playground's program. The first message is the compiled program. Every further message is a request; the reply is the answer
// with the same number.
"use strict";

let instance;

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

onmessage = async ({ data: { program, number, request } }) => {
  if (program) {
    instance = WebAssembly.instantiate(program, {});
    return;
  }
  try {
    postMessage({ number, ...ask((await instance).exports, request) });
  } catch (error) {
    // After a trap, the program's memory is not consistent: the page starts a new worker.
    postMessage({ number, error: `the program stopped: ${error.message}`, stopped: true });
  }
};
