#!/usr/bin/env bash

#SBATCH -J tulle
#SBATCH -e OUT/slurm/tulle-%J.err
#SBATCH -o OUT/slurm/tulle-%J.out
#SBATCH -p fast
#SBATCH -A physics
#SBATCH -n 1
#SBATCH --cpus-per-task=16
#SBATCH --mem=60G
#SBATCH -t 02:00:00
export RAYON_NUM_THREADS=4
export DASK_DISTRIBUTED__WORKER__MEMORY__TARGET=False
export DASK_DISTRIBUTED__WORKER__MEMORY__SPILL=False
export DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE=False
PYTHON -m distributed.cli.dask_worker tls://SCHEDULER --name dummy-name --nthreads 1 --memory-limit 14.90GiB --nworkers 4 --nanny --death-timeout 60 --resources memory=16000000000 --protocol tls:// --tls-ca-file OUT/slurm/.dask-jobqueue.worker.ca_file.RANDOM --tls-cert OUT/slurm/.dask-jobqueue.worker.cert.RANDOM --tls-key OUT/slurm/.dask-jobqueue.worker.key.RANDOM
