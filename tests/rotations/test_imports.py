import subprocess
import sys


def test_rotations_do_not_load_qiskit():
    code = (
        "import sys, qiskit_arcmaes.rotations as r\n"
        "r.analyse(r.make_form(['X'], [[1.0]], observable={'Z': 1.0}))\n"
        "assert not any(m == 'qiskit' or m.startswith('qiskit.') for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
