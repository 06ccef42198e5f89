#!/usr/bin/env python3
"""tests/capture.py CAPTURED MDAM-VK: captures labelled regions of the first program with RenderDoc and looks for their
dispatches in the file; the second must complain of a region that it never comes to.
Exits with 77 where RenderDoc or its Python module is not installed."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile


def skip(sentence):
    print(sentence)
    sys.exit(77)


def import_module():
    """The module is built for the distribution's own Python, which need not be the one that runs this."""
    try:
        import renderdoc

        return renderdoc
    except ImportError:
        own = "/usr/bin/python3"
        if os.path.realpath(sys.executable) != os.path.realpath(own) and os.path.exists(own):
            os.execv(own, [own] + sys.argv)
        skip("RenderDoc's Python module is not installed")


def capture(program, label, folder):
    """The one capture file that the program leaves under renderdoccmd."""
    base = os.path.join(folder, label.replace("/", "-"))
    command = ["renderdoccmd", "capture", "--wait-for-exit", "--capture-file", base, program, label]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=300, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    files = glob.glob(base + "_*.rdc")
    if done.returncode or len(files) != 1:
        sys.exit(f"{' '.join(command)} ended with {done.returncode} and {files}\n{done.stdout}")
    return files[0]


def expect_missed(program):
    """mdam-vk under RenderDoc, loaded without renderdoccmd, which keeps exit codes to itself."""
    command = [program, "bench", "norm2", "--json", "--capture"]
    environment = dict(os.environ, LD_PRELOAD="librenderdoc.so")
    # The labels there are "norm2 ..."; a name is a whole label or all of it before a slash.
    done = subprocess.run(command + ["norm"], env=environment, timeout=300, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    sentence = '--capture: no region named "norm" was run'
    if done.returncode != 2 or sentence not in done.stderr or '"norm2' not in done.stdout:
        sys.exit(f"{' '.join(done.args)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    print("norm: no such region")


def actions(rd, path):
    """The (labels, action name) pairs of every dispatch in the file."""
    file = rd.OpenCaptureFile()
    if file.OpenFile(path, "", None) != rd.ResultCode.Succeeded:
        sys.exit(f"{path} cannot be opened")
    result, controller = file.OpenCapture(rd.ReplayOptions(), None)
    if result != rd.ResultCode.Succeeded:
        sys.exit(f"{path} cannot be replayed: {result}")
    found = []

    def walk(list_, labels):
        for action in list_:
            if action.flags & rd.ActionFlags.Dispatch:
                found.append(labels)
            walk(action.children, labels + [action.customName] if action.customName else labels)

    walk(controller.GetRootActions(), [])
    controller.Shutdown()
    file.Shutdown()
    return found


def main():
    if not shutil.which("renderdoccmd"):
        skip("RenderDoc is not installed")
    rd = import_module()
    program = os.path.abspath(sys.argv[1])
    rd.InitialiseReplay(rd.GlobalEnvironment(), [])
    with tempfile.TemporaryDirectory() as folder:
        # One label of four dispatches, and all ten labels below a common name.
        for label, labels in (("link/3", ["link/3"]), ("link", [f"link/{i}" for i in range(10)])):
            found = actions(rd, capture(program, label, folder))
            expected = [[name] for name in labels for _ in range(4)]
            if found != expected:
                sys.exit(f"{label}: the capture holds dispatches under {found}, not {expected}")
            print(f"{label}: {len(found)} labelled dispatches")
    rd.ShutdownReplay()
    expect_missed(os.path.abspath(sys.argv[2]))


main()
