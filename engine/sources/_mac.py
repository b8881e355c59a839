"""What only macOS can tell: which devices are Bluetooth ones, and whether it lets us listen."""

from __future__ import annotations

import functools
import json
import subprocess
import threading
from typing import Any

from engine.errors import DeviceError

_ASKING_S = 60.0
"""How long a person may take to answer the system's question."""

_REPORT_S = 10.0

_NOT_ASKED, _RESTRICTED, _DENIED = 0, 1, 2
"""AVAuthorizationStatus; 3 is allowed."""

_ALLOW = (
    "allow it in System Settings > Privacy & Security > Microphone, for this program or for the "
    "terminal it runs in, then start it again"
)


@functools.lru_cache(maxsize=1)
def bluetooth_microphones(names: tuple[str, ...]) -> frozenset[str]:
    """Which of the devices hang on Bluetooth, by the names PortAudio gives them too.

    Args:
        names: of all devices; the system is asked again only when they are others.
    """
    try:
        return bluetooth_names(_system_report()) & frozenset(names)
    except (OSError, subprocess.SubprocessError):
        return frozenset()


def bluetooth_names(report: bytes) -> frozenset[str]:
    """The same from the system's own report of its sound devices, JSON."""
    try:
        return frozenset(
            str(device["_name"])
            for group in json.loads(report)["SPAudioDataType"]
            for device in group["_items"]
            if device.get("coreaudio_device_transport") == "coreaudio_device_type_bluetooth"
        )
    except (ValueError, LookupError, TypeError, AttributeError):
        return frozenset()


def _system_report() -> bytes:
    return subprocess.run(
        ["/usr/sbin/system_profiler", "SPAudioDataType", "-json"],
        capture_output=True,
        check=True,
        timeout=_REPORT_S,
    ).stdout


def microphone_denied() -> bool:
    """Whether the system gives this program zeros for sound. False where it does not tell."""
    capture = _av_foundation()
    return capture is not None and _status(capture) in (_DENIED, _RESTRICTED)


def ask_for_microphone() -> None:
    """Have the system ask the user, where it has not yet, and wait for the answer.

    Loopback drivers are microphones to the system, too. Elsewhere nothing happens.

    Raises:
        DeviceError: the answer is, or was, no.
    """
    capture = _av_foundation()
    if capture is None:
        return
    if _status(capture) == _NOT_ASKED:
        answered = threading.Event()
        capture.AVCaptureDevice.requestAccessForMediaType_completionHandler_(
            capture.AVMediaTypeAudio, lambda _allowed: answered.set()
        )
        answered.wait(_ASKING_S)
    status = _status(capture)
    if status == _DENIED:
        raise DeviceError("macOS does not let this program hear the microphone", _ALLOW)
    if status == _RESTRICTED:
        raise DeviceError(
            "macOS does not let this program hear the microphone, by a rule of this computer",
            "ask whoever manages it",
        )


def _status(capture: Any) -> int:
    return int(capture.AVCaptureDevice.authorizationStatusForMediaType_(capture.AVMediaTypeAudio))


def _av_foundation() -> Any:
    """The system's framework, or None: not on macOS, or without its bindings."""
    try:
        import AVFoundation
    except ImportError:
        return None
    return AVFoundation
