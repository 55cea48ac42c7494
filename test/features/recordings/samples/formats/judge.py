"""Reads downloads with Python's standard library (and SciPy) and prints what is in them: a line of JSON in, a line of JSON out."""
import base64, csv, io, json, pickle, struct, sys, tarfile, traceback, zipfile


def canonical(element, value):
    if element == "string":
        return value
    if element in ("float32", "float64"):
        value = float(value)
        return "nan" if value != value else struct.pack("<d", value).hex()
    return str(int(value))


def cells(kind, rows):
    element, shape = kind
    if shape == "scalar":
        return [canonical(element, row) for row in rows]
    return [[canonical(element, each) for each in row] for row in rows]


def from_pickle(path, kinds):
    with open(path, "rb") as file:
        logger = pickle.load(file)
    found = {}
    for name, topic in logger["topics"].items():
        fields = {}
        for field, column in topic["fields"].items():
            element, shape = kinds[field]
            if isinstance(shape, int):
                n, k = topic["shapes"][field]
                assert (n, k) == (topic["count"], shape)
                if element != "string":
                    assert len(column) == n * k
                    column = [column[i * k : (i + 1) * k] for i in range(n)]
            fields[field] = cells(kinds[field], column)
        found[name] = {"time_ns": [str(t) for t in topic["time_ns"]], "time": list(topic["time"]), "fields": fields}
    return found


def from_matlab(path, kinds):
    from scipy.io import loadmat

    def text(value):
        return value.item() if value.size else ""

    mat = loadmat(path)
    about = mat["mgr_logger"][0, 0]
    found = {}
    for topic, variable in zip(about["topics"][0], about["variables"][0]):
        table = mat[text(variable)][0, 0]
        assert text(table["topic"]) == text(topic)
        fields = {}
        if table["fields"].dtype.names:
            columns = table["fields"][0, 0]
            for name, path in zip(table["field_names"][0], table["field_paths"][0]):
                element, shape = kinds[text(path)]
                column = columns[text(name)]
                if element == "string":
                    rows = [text(each) if shape == "scalar" else [text(one) for one in each[0]] for each in column[0]]
                elif shape == "variable":
                    rows = [each[0] for each in column[0]]
                else:
                    assert column.shape[0] == (1 if shape == "scalar" else shape)
                    rows = column[0] if shape == "scalar" else column.T
                fields[text(path)] = cells((element, shape), rows)
        found[text(topic)] = {"time_ns": [str(t) for t in table["time_ns"][0]], "time": list(table["time"][0]), "fields": fields}
    return found


def from_csv(path, kinds):
    found = {}
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for topic in json.loads(archive.read("index.json"))["topics"]:
            with archive.open(topic["file"]) as file:
                rows = list(csv.DictReader(io.TextIOWrapper(file, "utf-8", newline="")))
            fields = {}
            for field, (element, shape) in kinds.items():
                if isinstance(shape, int):
                    column = [[row[f"{field}[{i}]"] for i in range(shape)] for row in rows]
                elif (element, shape) == ("uint8", "variable"):
                    column = [base64.b64decode(row[field]) for row in rows]
                else:
                    column = [row[field] if shape == "scalar" else json.loads(row[field]) for row in rows]
                fields[field] = cells((element, shape), column)
            found[topic["topic"]] = {"time_ns": [row["time_ns"] for row in rows], "time": [float(row["time"]) for row in rows], "fields": fields}
    return found


def from_raw(path, kinds):
    found = {}
    with tarfile.open(path) as archive:
        for topic in json.load(archive.extractfile("index.json"))["topics"]:
            data, samples, at = archive.extractfile(topic["file"]).read(), [], 0
            while at < len(data):
                length, received, published, sequence = struct.unpack_from("<IQqq", data, at)
                samples.append([str(received), str(published), str(sequence), data[at + 28 : at + 28 + length].hex()])
                at += 28 + length
            found[topic["topic"]] = samples
    return found


for line in sys.stdin:
    question = json.loads(line)
    try:
        answer = {"found": globals()["from_" + question["format"]](question["path"], question["kinds"])}
    except Exception:
        answer = {"error": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
