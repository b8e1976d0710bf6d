"""Validates what is packed, with the schemas of others. Run by scripts/judge-package and scripts/judge-deployment.

    judge-packaging.py sbom FILE..           validates CycloneDX documents, strictly
    judge-packaging.py environment FILE..    prints the variables that a Containerfile sets
    judge-packaging.py settings FILE..       checks the variables of a Compose file or of Kubernetes manifests with `honnin check-config` ($HONNIN)
    judge-packaging.py bucket FILE..         prints the name of the bucket that they set
    judge-packaging.py variables FILE..      prints these variables, with what $DATABASE_URL, $DATABASE_KEYS_URL and $S3_ENDPOINT name
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def sbom(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault is not None:
        sys.exit(f"{path}: {fault}")
    document = json.loads(text)
    references = {component["bom-ref"] for component in document["components"]} | {document["metadata"]["component"]["bom-ref"]}
    for dependency in document["dependencies"]:
        for reference in [dependency["ref"], *dependency["dependsOn"]]:
            if reference not in references:
                sys.exit(f"{path}: {reference} is not a component")
    libraries = [component for component in document["components"] if component["purl" if "purl" in component else "type"].startswith("pkg:")]
    if not any(component["name"] == "axum" and component.get("hashes") for component in libraries):
        sys.exit(f"{path}: a library that is surely linked is missing")
    # What only tests or builds use is not delivered.
    if any(component["name"] in ("insta", "tempfile", "leptos_macro", "lightningcss") for component in libraries):
        sys.exit(f"{path}: it lists what is not delivered")


def environment(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    print(" ".join(line.removeprefix("ENV ") for line in lines if line.startswith("ENV ")))


def honnin_of(path):
    """What Honnin's environment is in a Compose file or in Kubernetes manifests."""
    found = {}
    for document in yaml.safe_load_all(pathlib.Path(path).read_text(encoding="utf-8")):
        for service in document.get("services", {}).values():
            found.update({name: value for name, value in service.get("environment", {}).items() if name.startswith("HONNIN_")})
        if document.get("kind") == "Deployment":
            for container in document["spec"]["template"]["spec"]["containers"]:
                # What comes from a secret is the address of a database, a different one each, or a key.
                found.update({entry["name"]: entry.get("value", f"postgres://u:p@h/{entry['name']}") for entry in container["env"]})
    if len(found) < 5:
        sys.exit(f"{path}: no settings found")
    return {name: re.sub(r"\$\{\w+:\?\}", "example.com", str(value)) for name, value in found.items()}


def settings(path):
    """Unknown names and values out of bounds are errors of `check-config`."""
    checked = subprocess.run([os.environ["HONNIN"], "check-config"], env=honnin_of(path), capture_output=True, text=True, check=False)
    if checked.returncode != 0 or "The configuration is valid" not in checked.stdout:
        sys.exit(f"{path}: {checked.stderr}")


def bucket(path):
    print(honnin_of(path)["HONNIN_S3_BUCKET"])


def variables(path):
    """Only what is behind an address is another one. A file that does not set it is a file that is not tested."""
    found = honnin_of(path)
    for name in ("DATABASE_URL", "DATABASE_KEYS_URL", "S3_ENDPOINT"):
        if f"HONNIN_{name}" not in found:
            sys.exit(f"{path}: HONNIN_{name} is missing")
        found[f"HONNIN_{name}"] = os.environ[name]
    print("\n".join(f"{name}={value}" for name, value in found.items()))


if __name__ == "__main__":
    kind, *paths = sys.argv[1:]
    for path in paths:
        {"sbom": sbom, "environment": environment, "settings": settings, "bucket": bucket, "variables": variables}[kind](path)
