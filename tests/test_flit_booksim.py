"""Compare the saturation loads of ``saturation="booksim"`` with BookSim2's own, and check the option in all interfaces.

BookSim2 is commit 28f43299 of github.com/booksim/booksim2, with three additions: a routing function over a file of paths (one
virtual channel per hop, any for the endpoint; ``ksp-adaptive`` by `GetUsedCredit` times hops), a permutation from a file, and
a line that prints each mean that is compared with ``latency_thres``. Fabric, paths and permutation are tulle's, with seed 1.

    topology = anynet; traffic = randperm; use_noc_latency = 0; num_vcs = HOPS; vc_buf_size = 32; internal_speedup = 2.0;
    routing_delay = 0; credit_delay = 2; vc_allocator = separable_input_first; sw_allocator = separable_input_first;
    alloc_iters = 1; packet_size = 1; sim_type = latency; latency_thres = 500; warmup_periods = 1; sample_period = 500;
    max_samples = 11; stopping_thres = 0; acc_stopping_thres = 0; seed = 1;

Links between routers have 10 cycles, those of nodes 1. HOPS is the length of the longest path.
"""

from __future__ import annotations
