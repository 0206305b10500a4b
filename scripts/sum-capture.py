#!/usr/bin/env python3
"""Sums up the messages of a capture (highwater sql --capture FILE): by session and statement, and of all cells.

The lengths are taken from the packets. Requests for blocks are read, too, and the script stops where a length is not
what the request says. `total` is what `cell physical IO interconnect bytes` counts for a session, `returned` what
`cell physical IO interconnect bytes returned by smart scan` does.
"""

import argparse
import struct
import sys
from collections import defaultdict

BLOCK_REQUEST, BLOCK_ANSWER, SCAN_REQUEST, SCAN_ANSWER, MARK = range(5)


def fail(text):
    sys.exit(f"sum-capture: {text}")


def packets(file):
    """Kind, session, cell, the message as far as it is there, and the bytes that are not."""
    head = file.read(24)
    if len(head) < 24 or struct.unpack("<I16xI", head) != (0xA1B2C3D4, 147):
        fail("this is no capture of cells")
    while head := file.read(16):
        if len(head) < 16:
            fail("the file ends within a packet")
        _, _, kept, length = struct.unpack("<4I", head)
        packet = file.read(kept)
        if len(packet) < kept or kept < 7 or packet[0] != 1:
            fail("a packet is cut short, or of another version")
        kind, session, name = struct.unpack("<BIB", packet[1:7])
        cell, message = packet[7 : 7 + name].decode(), packet[7 + name :]
        yield kind, session, cell, message, length - kept


def number(message, at):
    """A number in groups of seven bits, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def block_request(message):
    """Bytes that follow the request, and bytes that follow the answer's head."""
    name, at = number(message, 1)
    at += name
    kind, at = message[at], at + 1
    if kind in (0, 1, 2):
        _, at = number(message, at)
        length, at = number(message, at)
        following = (0, length) if kind == 0 else (length, 0)
    elif kind == 6:
        length, at = number(message, at)
        following = (length, 0)
    else:
        following = (0, 8 if kind == 4 else 0)
    if at != len(message):
        fail("a request for blocks is longer than it says")
    return following


class Sums:
    def __init__(self):
        self.messages = self.sent = self.received = self.returned = 0

    def add(self, kind, length):
        self.messages += 1
        if kind in (BLOCK_REQUEST, SCAN_REQUEST):
            self.sent += length
        else:
            self.received += length
        if kind == SCAN_ANSWER:
            self.returned += length

    def columns(self):
        return f"{self.messages:>10,}{self.sent:>16,}{self.received:>16,}{self.sent + self.received:>16,}{self.returned:>16,}"


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("capture")
    path = options.parse_args().capture
    # What sessions have done, each with its messages; and the last one of each session.
    statements, current = [], {}
    sessions, cells, answer = defaultdict(Sums), defaultdict(Sums), None

    def begin(session, text):
        current[session] = Sums()
        statements.append((session, text, current[session]))

    with open(path, "rb") as file:
        for kind, session, cell, message, left_out in packets(file):
            if kind == MARK:
                begin(session, " ".join(message.decode(errors="replace").split()))
                continue
            if session not in current:
                begin(session, "")
            if kind == BLOCK_REQUEST:
                follow, answer = block_request(message)
                if left_out != follow:
                    fail(f"a request for blocks has {left_out:,} bytes behind it, and says {follow:,}")
            elif kind == BLOCK_ANSWER:
                if answer is None or left_out != answer:
                    fail(f"an answer of blocks has {left_out:,} bytes behind it, and the request says {answer}")
                answer = None
            for sums in (current[session], sessions[session], cells[cell]):
                sums.add(kind, len(message) + left_out)
    columns = f"{'messages':>10}{'sent':>16}{'received':>16}{'total':>16}{'returned':>16}"
    print(f"{'session':>7} {columns}  {'total so far':>16}  statement")
    so_far = defaultdict(int)
    for session, text, sums in statements:
        so_far[session] += sums.sent + sums.received
        if sums.messages:
            print(f"{session:>7} {sums.columns()}  {so_far[session]:>16,}  {text[:80]}")
    print(f"\n{'session':>7} {columns}")
    for session, sums in sorted(sessions.items()):
        print(f"{session:>7} {sums.columns()}")
    print(f"\n{'cell':<7} {columns}")
    for cell, sums in sorted(cells.items()):
        print(f"{cell:<7} {sums.columns()}")


main()
