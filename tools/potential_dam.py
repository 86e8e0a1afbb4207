#!/usr/bin/env python3
"""Front of a collapsing column in potential flow: the reference of tests/physics/test_dam_break_long.c.

    tools/potential_dam.py [NODES]

A column of width 1 and height 2 is released at once on a floor without friction. Lengths in widths, time T = t sqrt(2 g / a).
Linear boundary elements on the free surface; floor and wall are mirrors. Nodes move with the liquid (midpoint rule) and are spread
anew along the surface after every step. It ends where the tip becomes thinner than the elements. Needs numpy.
"""
import sys

import numpy as np

GRAVITY = 0.5  # makes T the time
MIRRORS = ((1, 1), (-1, 1), (1, -1), (-1, -1))


def element_integrals(p, q, x):
    """Integrals of ln r and its normal derivative over the elements p to q, seen from x, weighted towards p and towards q."""
    d = q - p
    length = np.hypot(d[:, 0], d[:, 1])
    t = d / length[:, None]
    n = np.stack([t[:, 1], -t[:, 0]], 1)
    away = x[:, None, :] - p[None]
    s, h = (away * t).sum(2), (away * n).sum(2)
    a, b, flat = -s, length - s, np.abs(h) + 1e-300
    a2, b2 = a * a + h * h + 1e-300, b * b + h * h + 1e-300
    angle = np.arctan2(b, flat) - np.arctan2(a, flat)
    log_a, log_b = 0.5 * np.log(a2), 0.5 * np.log(b2)
    single = b * log_b - a * log_a - (b - a) + np.abs(h) * angle
    single_q = (0.5 * (b2 * log_b - a2 * log_a) - 0.25 * (b2 - a2) + s * single) / length
    double = -np.sign(h) * angle
    double_q = (-h * (log_b - log_a) + s * double) / length
    return single - single_q, single_q, double - double_q, double_q


def normal_speed(x, phi):
    """Speed into the liquid from the potential on its surface."""
    single, double = np.zeros((len(x),) * 2), np.zeros((len(x),) * 2)
    for mirror in MIRRORS:
        p, q = x[:-1] * mirror, x[1:] * mirror
        if mirror[0] * mirror[1] > 0:
            sp, sq, dp, dq = element_integrals(p, q, x)
        else:  # a single mirror turns the direction of travel around
            sq, sp, dq, dp = element_integrals(q, p, x)
        single[:, :-1] += sp
        single[:, 1:] += sq
        double[:, :-1] += dp
        double[:, 1:] += dq
    # a constant potential has no flow, which determines the solid angles
    return np.linalg.solve(single, double @ phi - double.sum(1) * phi)


def along(values, h1, h2):
    """Derivative by arc length at inner nodes with distances h1 and h2 to their neighbours."""
    return -h2 / (h1 * (h1 + h2)) * values[:-2] + (h2 - h1) / (h1 * h2) * values[1:-1] + h1 / (h2 * (h1 + h2)) * values[2:]


def rates(x, phi):
    """Velocity of the nodes, and change of their potential by Bernoulli."""
    inward = normal_speed(x, phi)
    wide = np.vstack([x[1] * [-1, 1], x, x[-2] * [1, -1]])
    wide_phi = np.concatenate([[phi[1]], phi, [phi[-2]]])
    step = np.hypot(*np.diff(wide, axis=0).T)
    tangent = np.stack([along(wide[:, k], step[:-1], step[1:]) for k in (0, 1)], 1)
    size = np.hypot(tangent[:, 0], tangent[:, 1])
    tangent /= size[:, None]
    speed = along(wide_phi, step[:-1], step[1:]) / size
    u = speed[:, None] * tangent + inward[:, None] * np.stack([tangent[:, 1], -tangent[:, 0]], 1)
    u[0, 0] = u[-1, 1] = 0
    return u, 0.5 * (u * u).sum(1) - GRAVITY * x[:, 1]


def spread(x, phi):
    """The same surface with its nodes closer together towards the tip."""
    s = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(x, axis=0).T))])
    at = s[-1] * (1 - (1 - np.linspace(0, 1, len(x))) ** 1.6)
    return np.stack([np.interp(at, s, x[:, 0]), np.interp(at, s, x[:, 1])], 1), np.interp(at, s, phi)


def main():
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    top = nodes // 3
    x = np.vstack([np.column_stack([np.linspace(0, 1, top, endpoint=False), np.full(top, 2.0)]),
                   np.column_stack([np.ones(nodes - top), np.linspace(2, 0, nodes - top)])])
    phi, time, told = np.zeros(nodes), 0.0, 0.25
    while told <= 1.75:
        u, change = rates(x, phi)
        dt = 0.3 * np.hypot(*np.diff(x, axis=0).T).min() / (np.hypot(u[:, 0], u[:, 1]).max() + 1e-9)
        dt = min(max(dt, 0.0005), 0.01, told - time)
        u, change = rates(x + 0.5 * dt * u, phi + 0.5 * dt * change)
        x, phi, time = np.maximum(x + dt * u, 0), phi + dt * change, time + dt
        x, phi = spread(x, phi)
        if time > told - 1e-9:
            volume = -np.sum(0.5 * np.diff(x[:, 0]) * (x[1:, 1] + x[:-1, 1]))
            print(f"T {time:.2f}  front {x[-1, 0]:.3f}  height at the wall {x[0, 1]:.3f}  volume {abs(volume):.4f}", flush=True)
            told += 0.25


if __name__ == "__main__":
    main()
