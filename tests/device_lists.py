"""What machines list: PortAudio's rows, the sound server's, and the systems' own reports.

Put together from lists that people have published; names, rates and truncations are theirs.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from engine.sources.device import InputDevice

NO_MONITOR = 0xFFFFFFFF

# Host API, inputs, rate, name, the default of its API. Of a Windows 11 notebook with a webcam, a
# headset on Bluetooth and a virtual cable: one microphone stands there up to six times.
WINDOWS = [
    ("MME", 2, 44_100, "Microsoft Sound Mapper - Input", True),
    ("MME", 2, 44_100, "Microphone Array (Realtek(R) Au", False),
    ("MME", 1, 44_100, "Headset (WH-1000XM4 Hands-Free ", False),
    ("MME", 2, 44_100, "Microphone (Logi C615 HD WebCam", False),
    ("MME", 8, 44_100, "CABLE Output (VB-Audio Virtual ", False),
    ("Windows DirectSound", 2, 44_100, "Primary Sound Capture Driver", True),
    ("Windows DirectSound", 2, 44_100, "Microphone Array (Realtek(R) Audio)", False),
    ("Windows DirectSound", 1, 44_100, "Headset (WH-1000XM4 Hands-Free AG Audio)", False),
    ("Windows DirectSound", 2, 44_100, "Microphone (Logi C615 HD WebCam)", False),
    ("Windows DirectSound", 8, 44_100, "CABLE Output (VB-Audio Virtual Cable)", False),
    ("Windows WASAPI", 1, 16_000, "Headset (WH-1000XM4 Hands-Free AG Audio)", True),
    ("Windows WASAPI", 2, 48_000, "Microphone Array (Realtek(R) Audio)", False),
    ("Windows WASAPI", 1, 48_000, "Microphone (Logi C615 HD WebCam)", False),
    ("Windows WASAPI", 2, 44_100, "CABLE Output (VB-Audio Virtual Cable)", False),
    ("Windows WDM-KS", 2, 48_000, "Microphone Array 1 (Realtek HD Audio Mic input with SST)", True),
    (
        "Windows WDM-KS",
        2,
        48_000,
        "Microphone Array 2 (Realtek HD Audio Mic input with SST)",
        False,
    ),
    ("Windows WDM-KS", 2, 48_000, "Stereo Mix (Realtek HD Audio Stereo input)", False),
    ("Windows WDM-KS", 2, 44_100, "CABLE Output (VB-Audio Point)", False),
    (
        "Windows WDM-KS",
        1,
        8_000,
        "Headset (@System32\\drivers\\bthhfenum.sys,#2;%1 Hands-Free AG Audio%0\r\n;(WH-1000XM4))",
        False,
    ),
]

MAC = [
    ("Core Audio", 1, 24_000, "Anna's WH-1000XM4", True),
    ("Core Audio", 1, 48_000, "MacBook Pro Microphone", False),
    ("Core Audio", 2, 44_100, "BlackHole 2ch", False),
    ("Core Audio", 16, 48_000, "Loopback Audio", False),
    ("Core Audio", 2, 44_100, "Soundflower (2ch)", False),
    ("Core Audio", 2, 44_100, "VB-Cable", False),
    ("Core Audio", 1, 48_000, "iPhone Microphone", False),
]

ALSA = [
    ("ALSA", 2, 44_100, "HDA Intel PCH: ALC257 Analog (hw:0,0)", False),
    ("ALSA", 1, 48_000, "HD Webcam C615: USB Audio (hw:1,0)", False),
    ("ALSA", 128, 48_000, "sysdefault", False),
    ("ALSA", 32, 44_100, "samplerate", False),
    ("ALSA", 32, 44_100, "pulse", False),
    ("ALSA", 32, 44_100, "default", True),
]

MAC_REPORT = json.dumps(
    {
        "SPAudioDataType": [
            {
                "_items": [
                    {
                        "_name": "Anna's WH-1000XM4",
                        "coreaudio_default_audio_input_device": "spaudio_yes",
                        "coreaudio_device_input": 1,
                        "coreaudio_device_manufacturer": "Apple Inc.",
                        "coreaudio_device_srate": 24000,
                        "coreaudio_device_transport": "coreaudio_device_type_bluetooth",
                    },
                    {
                        "_name": "MacBook Pro Microphone",
                        "coreaudio_device_input": 1,
                        "coreaudio_device_srate": 48000,
                        "coreaudio_device_transport": "coreaudio_device_type_builtin",
                    },
                    {
                        "_name": "BlackHole 2ch",
                        "coreaudio_device_input": 2,
                        "coreaudio_device_output": 2,
                        "coreaudio_device_transport": "coreaudio_device_type_virtual",
                    },
                ],
                "_name": "coreaudio_device",
            }
        ]
    }
).encode()


def rows(listed: list[tuple[str, int, int, str, bool]]) -> list[InputDevice]:
    """As ``list_devices`` gives them: the default of all is the first API's."""
    default = next(row for row in listed if row[4])
    return [
        InputDevice(index, name, host_api, channels, rate, row == default, "", is_api_default)
        for index, row in enumerate(listed)
        for host_api, channels, rate, name, is_api_default in [row]
    ]


class FakeServer:
    """A connection to a sound server with these sinks and sources, as pulsectl gives them."""

    def __init__(self, sources: list[Any], sinks: list[Any], source: str, sink: str) -> None:
        self._sources, self._sinks = sources, sinks
        self._info = SimpleNamespace(default_source_name=source, default_sink_name=sink)

    def server_info(self) -> Any:
        return self._info

    def source_list(self) -> list[Any]:
        return self._sources

    def sink_list(self) -> list[Any]:
        return self._sinks


def pulse_source(name: str, description: str, *, monitor_of: int = NO_MONITOR, **about: str) -> Any:
    return SimpleNamespace(
        index=hash(name) % 1000,
        name=name,
        description=description,
        monitor_of_sink=monitor_of,
        proplist={key.replace("_", "."): value for key, value in about.items()},
        sample_spec=SimpleNamespace(channels=2, rate=48_000),
    )


def pulse_sink(name: str, description: str, **about: str) -> Any:
    sink = pulse_source(name, description, **about)
    sink.monitor_source_name = f"{name}.monitor"
    return sink


def headset_on_linux() -> FakeServer:
    """A notebook with a headset on Bluetooth, which the desktop has made the default."""
    return FakeServer(
        [
            pulse_source(
                "alsa_output.pci-0000_00_1f.3.analog-stereo.monitor",
                "Monitor of Built-in Audio Analog Stereo",
                monitor_of=0,
                device_class="monitor",
            ),
            pulse_source(
                "alsa_input.pci-0000_00_1f.3.analog-stereo", "Built-in Audio Analog Stereo"
            ),
            pulse_source(
                "bluez_input.94:DB:56:00:11:22",
                "WH-1000XM4",
                device_api="bluez5",
                device_bus="bluetooth",
            ),
            pulse_source(
                "bluez_output.94_DB_56_00_11_22.1.monitor", "Monitor of WH-1000XM4", monitor_of=1
            ),
        ],
        [
            pulse_sink(
                "alsa_output.pci-0000_00_1f.3.analog-stereo", "Built-in Audio Analog Stereo"
            ),
            pulse_sink("bluez_output.94_DB_56_00_11_22.1", "WH-1000XM4", device_api="bluez5"),
        ],
        source="bluez_input.94:DB:56:00:11:22",
        sink="bluez_output.94_DB_56_00_11_22.1",
    )
