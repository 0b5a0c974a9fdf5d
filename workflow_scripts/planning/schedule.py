"""How long a set of jobs takes on given cores and GPUs, or with a given number of jobs at once."""

import dataclasses
import heapq
import math


@dataclasses.dataclass(frozen=True)
class Task:
    """A job to schedule: minutes of wall time, cores and GPUs held, ids of the tasks it waits for."""

    id: int
    minutes: float
    cores: int
    gpus: int
    needs: frozenset


def makespan(tasks, cores=math.inf, gpus=math.inf, jobs=math.inf):
    """Minutes from the start of the first task to the end of the last, by list scheduling.

    Among tasks that may start, the one with the longest way to the end starts first. A task that wants more than
    there is gets what there is, as Snakemake does with cores.

    Raises
    ------
    ValueError
        If tasks wait for each other in a circle.
    """
    tasks = {task.id: task for task in tasks}
    needs = {key: {other for other in task.needs if other in tasks} for key, task in tasks.items()}
    users = {key: [] for key in tasks}
    for key in sorted(tasks):
        for other in needs[key]:
            users[other].append(key)
    urgency = _longest_ways(tasks, needs, users)
    ready = [(-urgency[key], key) for key in sorted(tasks) if not needs[key]]
    heapq.heapify(ready)
    running, now, free = [], 0.0, [cores, gpus, jobs]
    while ready or running:
        waiting = []
        while ready and free[0] >= 1 and free[2] >= 1:
            rank, key = heapq.heappop(ready)
            held = (min(tasks[key].cores, cores), min(tasks[key].gpus, gpus), 1)
            if all(want <= there for want, there in zip(held, free, strict=True)):
                free = [there - want for want, there in zip(held, free, strict=True)]
                heapq.heappush(running, (now + tasks[key].minutes, key, held))
            else:
                waiting.append((rank, key))
        for entry in waiting:
            heapq.heappush(ready, entry)
        now, key, held = heapq.heappop(running)
        free = [there + want for want, there in zip(held, free, strict=True)]
        for user in users[key]:
            needs[user].discard(key)
            if not needs[user]:
                heapq.heappush(ready, (-urgency[user], user))
    return now


def _longest_ways(tasks, needs, users):
    left = {key: len(users[key]) for key in tasks}
    ends = [key for key in sorted(tasks) if not left[key]]
    ways = {}
    while ends:
        key = ends.pop()
        ways[key] = tasks[key].minutes + max((ways[user] for user in users[key]), default=0.0)
        for other in needs[key]:
            left[other] -= 1
            if not left[other]:
                ends.append(other)
    if len(ways) < len(tasks):
        raise ValueError("tasks wait for each other in a circle")
    return ways
