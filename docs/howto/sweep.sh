#!/bin/bash
#SBATCH --cpus-per-task=16
#SBATCH --mem=8G
#SBATCH --time=02:00:00
source .venv/bin/activate
hopattn sweep capacity --trials 100 --workers "$SLURM_CPUS_PER_TASK" --points capacity.jsonl --out capacity.csv
