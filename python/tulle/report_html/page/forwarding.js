// Paths of a routing, from its packed tables or path sets, and the effect of a failed cable on them.
"use strict";

const tulleForwarding = (() => {
  const TYPES = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array };

  // The inverse of packing.py: base 64, deflate, and one plane for each byte of a number.
  async function unpack({ type, length, content }) {
    const raw = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer());
    const values = new TYPES[type](length);
    const bytes = values.BYTES_PER_ELEMENT;
    for (let plane = 0; plane < bytes; plane++) {
      for (let at = 0; at < length; at++) values[at] += planes[plane * length + at] * 2 ** (8 * plane);
    }
    return values;
  }

  // Next-hop tables: a path per layer, which takes the first port of each group whose cable works.
  class Layers {
    constructor(network, routing, ports) {
      this.network = network;
      this.ports = ports;
      this.width = routing.width;
      this.count = routing.kept;
      this.size = network.switches.length;
    }

    // Channels of equal cost; `changes` has the entries of the new routing after a failure.
    group(layer, from, to, changes) {
      const entry = (layer * this.size + from) * this.size + to;
      const start = this.network.start[from];
      const changed = changes?.get(entry);
      if (changed) return changed.map((position) => start + position);
      const found = [];
      for (let at = entry * this.width; at < (entry + 1) * this.width; at++) {
        if (this.ports[at]) found.push(start + this.ports[at] - 1);
      }
      return found;
    }

    paths(from, to, cut, changes) {
      const found = [];
      for (let layer = 0; layer < this.count; layer++) {
        const path = { number: layer, channels: [], broken: null, others: [] };
        for (let at = from; at !== to && path.channels.length < this.size; ) {
          const group = this.group(layer, at, to, changes);
          const channel = group.find((each) => this.network.cableOf[each] !== cut);
          if (channel === undefined) {
            path.broken = at;
            break;
          }
          path.channels.push(channel);
          path.others.push(group.length);
          at = this.network.target[channel];
        }
        found.push(path);
      }
      return found;
    }

    // Counts the effects of a cut before rerouting, for ordered pairs of switches with endpoints: all lost paths (one per layer), the
    // pairs that lose a layer, and the pairs that lose all layers.
    effect(cut) {
      const { size, count, network } = this;
      const hosts = network.endpoints;
      const lost = new Uint16Array(size * size);
      for (let layer = 0; layer < count; layer++) {
        for (let to = 0; to < size; to++) {
          if (!hosts[to]) continue;
          // 0: unknown, 1: reaches the destination, 2: stops at the cut cable.
          const state = new Uint8Array(size);
          state[to] = 1;
          for (let from = 0; from < size; from++) {
            const walked = [];
            let at = from;
            while (!state[at]) {
              walked.push(at);
              const entry = ((layer * size + at) * size + to) * this.width;
              let next = -1;
              for (let place = entry; place < entry + this.width; place++) {
                if (!this.ports[place]) continue;
                const channel = network.start[at] + this.ports[place] - 1;
                if (network.cableOf[channel] !== cut) {
                  next = network.target[channel];
                  break;
                }
              }
              if (next < 0 || walked.length > size) {
                state[at] = 2;
                break;
              }
              at = next;
            }
            for (const each of walked) state[each] = state[at];
            if (state[from] === 2 && hosts[from]) lost[from * size + to]++;
          }
        }
      }
      return summarized(lost, () => count);
    }
  }

  // Path sets: every pair has its own list of paths.
  class Paths {
    constructor(network, counts, hops, ports) {
      this.network = network;
      this.ports = ports;
      this.size = network.switches.length;
      this.counts = counts;
      this.first = new Uint32Array(counts.length + 1);
      counts.forEach((count, pair) => (this.first[pair + 1] = this.first[pair] + count));
      this.start = new Uint32Array(hops.length + 1);
      hops.forEach((count, path) => (this.start[path + 1] = this.start[path] + count));
    }

    paths(from, to, cut) {
      const pair = from * this.size + to;
      const found = [];
      for (let path = this.first[pair]; path < this.first[pair + 1]; path++) {
        found.push(this.path(path, path - this.first[pair], from, cut));
      }
      return found;
    }

    path(path, number, from, cut) {
      const found = { number, channels: [], broken: null, others: [] };
      let at = from;
      for (let hop = this.start[path]; hop < this.start[path + 1]; hop++) {
        const channel = this.network.start[at] + this.ports[hop];
        if (this.network.cableOf[channel] === cut && found.broken === null) found.broken = at;
        if (found.broken === null) found.channels.push(channel);
        found.others.push(1);
        at = this.network.target[channel];
      }
      return found;
    }

    effect(cut) {
      const lost = new Uint16Array(this.size * this.size);
      const hosts = this.network.endpoints;
      for (let pair = 0; pair < lost.length; pair++) {
        const from = Math.floor(pair / this.size);
        if (!hosts[from] || !hosts[pair % this.size]) continue;
        for (let path = this.first[pair]; path < this.first[pair + 1]; path++) {
          if (this.path(path, 0, from, cut).broken !== null) lost[pair]++;
        }
      }
      return summarized(lost, (pair) => this.counts[pair]);
    }
  }

  function summarized(lost, all) {
    const found = { paths: 0, some: 0, every: 0 };
    lost.forEach((count, pair) => {
      found.paths += count;
      found.some += count > 0;
      found.every += count > 0 && count === all(pair);
    });
    return found;
  }

  // The changed entries of a computed rerouting: entry -> positions of channels.
  async function changes(size, packedChanges) {
    const values = await unpack(packedChanges);
    const found = new Map();
    for (let at = 0; at < values.length; ) {
      const [layer, from, to, count] = values.subarray(at, at + 4);
      found.set((layer * size + from) * size + to, [...values.subarray(at + 4, at + 4 + count)]);
      at += 4 + count;
    }
    return found;
  }

  return {
    changes,
    unpack,
    async of(network) {
      const routing = network.routing;
      if (!routing || !routing.kept) return null;
      if (routing.form === "layers") return new Layers(network, routing, await unpack(routing.ports));
      const [counts, hops, ports] = await Promise.all([routing.counts, routing.hops, routing.ports].map(unpack));
      return new Paths(network, counts, hops, ports);
    },
  };
})();
