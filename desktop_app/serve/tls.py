"""Our own certificate, for those who serve to their network. Whoever connects pins its
fingerprint: no authority vouches for a computer at home."""

from __future__ import annotations

import datetime
import ipaddress
import os
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UsageError

if TYPE_CHECKING:
    from cryptography.x509 import Certificate, GeneralName

_DAYS = 825
_RENEW_DAYS = 30


@dataclass(frozen=True, slots=True)
class Identity:
    """What the server proves itself with.

    Attributes:
        context: TLS 1.3 and nothing older.
        fingerprint: SHA-256 of the certificate, as browsers show it: ``AB:CD:...``.
    """

    context: ssl.SSLContext
    fingerprint: str


def default_folder() -> Path:
    """Where the certificate and its key are kept."""
    from platformdirs import user_data_path

    return user_data_path("captionglass", appauthor=False) / "tls"


def identity(folder: Path, names: list[str]) -> Identity:
    """The certificate kept in a folder; made there if there is none, or it is about to end.

    Args:
        folder: for ``certificate.pem`` and ``key.pem``, which its owner alone can read.
        names: host names and addresses by which others call this computer.

    Raises:
        UsageError: the folder cannot be written or read.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    try:
        certificate = _kept(certificate_file, key_file)
        if certificate is None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _make(certificate_file, key_file, names)
            certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_cert_chain(certificate_file, key_file)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the certificate in {folder} cannot be made or used",
            "delete what is in the folder, or make it writable",
        ) from error
    return Identity(context, certificate.fingerprint(hashes.SHA256()).hex(":").upper())


def own_addresses() -> list[str]:
    """The addresses by which the network may reach this computer."""
    import psutil

    found = []
    for addresses in psutil.net_if_addrs().values():
        for each in addresses:
            if each.family in (socket.AF_INET, socket.AF_INET6):
                address = ipaddress.ip_address(each.address.partition("%")[0])
                if not address.is_loopback and not address.is_link_local:
                    found.append(str(address))
    return found


def _kept(certificate_file: Path, key_file: Path) -> Certificate | None:
    from cryptography import x509

    if not certificate_file.is_file() or not key_file.is_file():
        return None
    certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
    left = certificate.not_valid_after_utc - datetime.datetime.now(datetime.UTC)
    return certificate if left > datetime.timedelta(days=_RENEW_DAYS) else None


def _make(certificate_file: Path, key_file: Path, names: list[str]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Captionglass")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName(_alternatives(names)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    key_file.unlink(missing_ok=True)
    handle = os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secret)
    certificate_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _alternatives(names: list[str]) -> list[GeneralName]:
    from cryptography import x509

    found: list[x509.GeneralName] = []
    for name in dict.fromkeys(["localhost", "127.0.0.1", *names]):
        try:
            found.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            if name.isascii() and name:
                found.append(x509.DNSName(name))
    return found
