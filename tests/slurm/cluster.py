"""A real SLURM on this machine: one node with two stand-in GPUs, on ports of its own.

It needs root, `slurm-wlm` and `munge`. The controller's configuration stands in /etc/slurm, where jobs look for it
(Snakemake's job step drops SLURM_CONF). Everything started here is ended by its process id.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

CONF_DIR = pathlib.Path("/etc/slurm")
MARK = "# one-node test cluster of the MedDistant19 pipeline"


def why_not():
    """The reason why no cluster can be started here, or None."""
    if os.geteuid() != 0:
        return "starting a SLURM needs root"
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name)]
    if missing:
        return f"not installed: {', '.join(missing)} (apt-get install slurm-wlm munge)"
    conf = CONF_DIR / "slurm.conf"
    if conf.exists() and MARK not in conf.read_text():
        return f"{conf} belongs to another cluster"
    return None


def free_port():
    """A TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """Start with `start()`, always end with `stop()`.

    Parameters
    ----------
    folder : Path
        Where state, logs and the stand-in GPUs live.
    memory_mb, cpus : int
        What the node claims to have, whatever it has; memory is enforced by killing jobs over their limit.
    """

    def __init__(self, folder, memory_mb=200_000, cpus=8):
        self.folder, self.memory_mb, self.cpus = pathlib.Path(folder), memory_mb, cpus
        self.processes = []

    def start(self):
        """Write the configuration, start munged, slurmctld and slurmd, wait until the node is idle."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_configuration()
        self._start_munge()
        for name in ("slurmctld", "slurmd"):
            log = open(self.folder / f"{name}.out", "ab")
            self.processes.append(subprocess.Popen([name, "-D"], stdout=log, stderr=log, start_new_session=True))
            log.close()
        self._wait_for_node()

    def stop(self):
        """Cancel what runs, then end the daemons by their ids."""
        for job in self.jobs():
            self.cancel(job["id"])
        for _ in range(40):
            if not self.jobs():
                break
            time.sleep(0.5)
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=15)
        self.processes = []
        for name in ("slurm.conf", "gres.conf"):
            (CONF_DIR / name).unlink(missing_ok=True)

    def jobs(self):
        """The jobs that have not ended: dicts of id, comment (rule and wildcards) and state."""
        command = ["timeout", "20", "squeue", "--noheader", "--format=%i|%k|%T"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        rows = [line.split("|") for line in answer.stdout.splitlines()] if answer.returncode == 0 else []
        return [dict(zip(("id", "comment", "state"), row, strict=True)) for row in rows]

    def cancel(self, job):
        """Cancel a job by its id."""
        subprocess.run(["timeout", "20", "scancel", job], capture_output=True, check=False)

    def signal(self, job, name):
        """Send a signal to the processes of a job."""
        subprocess.run(["timeout", "20", "scancel", "--signal", name, job], capture_output=True, check=True)

    def lose_node(self):
        """Let the node go down, with all that runs on it."""
        self._node("down")
        for _ in range(40):
            if not any(job["state"] in ("RUNNING", "COMPLETING") for job in self.jobs()):
                return
            time.sleep(0.5)

    def return_node(self):
        """Take the node back into service."""
        self._node("idle")
        self._wait_for_node()

    def _node(self, state):
        host = socket.gethostname().split(".")[0]
        command = ["scontrol", "update", f"nodename={host}", f"state={state}", "reason=test"]
        subprocess.run(["timeout", "20", *command], capture_output=True, check=True)

    def wait_for(self, comment, state="RUNNING", seconds=120):
        """The id of the first job with this text in its comment that reaches a state.

        Raises
        ------
        TimeoutError
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for job in self.jobs():
                if comment in job["comment"] and job["state"] == state:
                    return job["id"]
            time.sleep(0.5)
        raise TimeoutError(f"no job {comment} {state} in {seconds} s: {self.jobs()}")

    def _write_configuration(self):
        host = socket.gethostname().split(".")[0]
        devices = []
        for number in range(2):
            device = self.folder / f"gpu{number}"
            if not device.exists():
                os.mknod(device, 0o666 | 0o020000, os.makedev(1, 3))
            devices.append(str(device))
        for name in ("state", "spool"):
            (self.folder / name).mkdir(exist_ok=True)
        CONF_DIR.mkdir(exist_ok=True)
        (CONF_DIR / "gres.conf").write_text(
            "".join(f"NodeName={host} Name=gpu Type=v100 File={device}\n" for device in devices)
        )
        (CONF_DIR / "slurm.conf").write_text(
            f"""{MARK}
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=600
KillWait=15
SchedulerParameters=sched_interval=2,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
JobAcctGatherParams=OverMemoryKill
NodeName={host} NodeAddr=127.0.0.1 CPUs={self.cpus} RealMemory={self.memory_mb} Gres=gpu:v100:2 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES PriorityTier=10 MaxTime=INFINITE State=UP
PartitionName=short Nodes={host} PriorityTier=10 MaxTime=60 State=UP
PartitionName=spare Nodes={host} PriorityTier=1 PreemptMode=REQUEUE State=UP
"""
        )

    def _start_munge(self):
        if subprocess.run(["munge", "-n"], capture_output=True, timeout=20, check=False).returncode == 0:
            return
        for path in ("/run/munge", "/var/log/munge", "/var/lib/munge"):
            os.makedirs(path, exist_ok=True)
            shutil.chown(path, "munge", "munge")
        os.chmod("/run/munge", 0o755)
        self.processes.append(
            subprocess.Popen(
                ["munged", "--foreground"],
                user="munge",
                group="munge",
                extra_groups=[],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        for _ in range(50):
            if subprocess.run(["munge", "-n"], capture_output=True, timeout=20, check=False).returncode == 0:
                return
            time.sleep(0.2)
        raise RuntimeError("munged does not answer")

    def _wait_for_node(self):
        state = ""
        for _ in range(60):
            answer = subprocess.run(
                ["sinfo", "-h", "-o", "%T"], capture_output=True, text=True, timeout=20, check=False
            )
            state = answer.stdout.strip()
            if state == "idle":
                return
            time.sleep(0.5)
        raise RuntimeError(f"the node is {state or 'not there'}; logs in {self.folder}")
