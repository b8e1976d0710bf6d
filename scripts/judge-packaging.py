"""Validates what is packed, with the schemas of others. Run by scripts/judge-package and scripts/judge-deployment.

    judge-packaging.py sbom FILE..           validates CycloneDX documents, strictly
    judge-packaging.py environment FILE..    prints the variables that the image of a Containerfile that serves sets
    judge-packaging.py settings FILE..       checks the variables of a Compose file or of Kubernetes manifests with `honnin check-config` ($HONNIN)
    judge-packaging.py bucket FILE..         prints the name of the bucket that they set
    judge-packaging.py variables FILE..      prints these variables, with what $DATABASE_URL, $DATABASE_KEYS_URL and $S3_ENDPOINT name
    judge-packaging.py backup FILE..         prints those of the job that makes backups in Kubernetes manifests
    judge-packaging.py script FILE..         prints what this job runs in a shell
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
    """Those of the last image, which is built unless another one is named."""
    image = re.split(r"^FROM ", pathlib.Path(path).read_text(encoding="utf-8"), flags=re.MULTILINE)[-1]
    lines = image.replace("\\\n", " ").splitlines()
    print(" ".join(line.removeprefix("ENV ") for line in lines if line.startswith("ENV ")))


# Where each kind of manifest has its pods, and a Compose file its services.
NODES, BACKUP = "Deployment", "CronJob"


def pod_of(document):
    spec = document["spec"]
    return (spec["jobTemplate"]["spec"] if document["kind"] == BACKUP else spec)["template"]["spec"]


def value_of(entry):
    """What a variable of a container is, as far as the manifest tells."""
    if "fieldRef" in entry.get("valueFrom", {}):
        return "honnin-backup-29759190"
    # What comes from a secret is the address of a database, a different one each, or a key.
    return entry.get("value", f"postgres://u:p@h/{entry['name']}")


def containers_of(path, kind):
    """The containers of a kind of Kubernetes manifests, or the services of a Compose file that are Honnin, with their variables by name."""
    for document in yaml.safe_load_all(pathlib.Path(path).read_text(encoding="utf-8")):
        for service in document.get("services", {}).values() if kind == NODES else ():
            if any(name.startswith("HONNIN_") for name in service.get("environment", {})):
                yield service, service["environment"]
        if document.get("kind") == kind:
            pod = pod_of(document)
            for container in [*pod["containers"], *pod.get("initContainers", [])]:
                yield container, {entry["name"]: value_of(entry) for entry in container["env"]}


def honnin_of(path, kind=NODES):
    """What Honnin's environment is in a Compose file or in Kubernetes manifests: the same in each container."""
    found = [variables for _, variables in containers_of(path, kind)]
    if not found or len(found[0]) < 5:
        sys.exit(f"{path}: no settings found")
    if any(variables != found[0] for variables in found):
        sys.exit(f"{path}: containers of Honnin differ in their variables")
    return {name: re.sub(r"\$\{\w+:\?\}", "example.com", str(value)) for name, value in found[0].items()}


def settings(path):
    """Unknown names and values out of bounds are errors of `check-config`. Whatever makes backups copies what the nodes use."""
    nodes = honnin_of(path)
    checked = subprocess.run([os.environ["HONNIN"], "check-config"], env=nodes, capture_output=True, text=True, check=False)
    if checked.returncode != 0 or "The configuration is valid" not in checked.stdout:
        sys.exit(f"{path}: {checked.stderr}")
    for _, variables in containers_of(path, BACKUP):
        for name, value in variables.items():
            if name.startswith("HONNIN_") and nodes.get(name) != value:
                sys.exit(f"{path}: the backup has another {name} than the nodes")


def bucket(path):
    print(honnin_of(path)["HONNIN_S3_BUCKET"])


def variables(path, kind=NODES):
    """Only what is behind an address is another one. A file that does not set it is a file that is not tested."""
    found = honnin_of(path, kind)
    for name in ("DATABASE_URL", "DATABASE_KEYS_URL", "S3_ENDPOINT"):
        if f"HONNIN_{name}" not in found:
            sys.exit(f"{path}: HONNIN_{name} is missing")
        found[f"HONNIN_{name}"] = os.environ[name]
    print("\n".join(f"{name}={value}" for name, value in found.items()))


def backup(path):
    variables(path, BACKUP)


def script(path):
    [(container, _)] = containers_of(path, BACKUP)
    if container["command"] != ["sh", "-ec"]:
        sys.exit(f"{path}: the backup is not made by a shell")
    [text] = container["args"]
    # Another attempt begins an interrupted copy again only if it finds it, and leaves it behind otherwise.
    if "$(" in text or "`" in text:
        sys.exit(f"{path}: each attempt of a backup makes a copy of its own")
    print(text)


COMMANDS = (sbom, environment, settings, bucket, variables, backup, script)

if __name__ == "__main__":
    wanted, *paths = sys.argv[1:]
    for path in paths:
        {command.__name__: command for command in COMMANDS}[wanted](path)
