#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A batch script for Slurm: sbatch slurm.sh. The launcher takes hosts and numbers of ranks from the allocation.
#SBATCH --job-name=corunna
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --time=00:10:00
corunna run ./pi 100000000
# Or, where Slurm itself starts the ranks: srun --mpi=pmi2 ./pi 100000000
# A Java program: corunna run java -cp . Pi 100000000
