// Answers the requests of standard input, one a line, with the playground's program given as an argument.
import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { alloc, run, free, memory } = instance.exports;
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const request = new TextEncoder().encode(line);
  const place = alloc(request.length);
  new Uint8Array(memory.buffer, place, request.length).set(request);
  const answer = run(place, request.length);
  const length = new DataView(memory.buffer).getUint32(answer, true);
  console.log(new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, length)));
  free(answer);
}
