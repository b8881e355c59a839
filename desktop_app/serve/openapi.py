"""The description of the control port (OpenAPI 3.1), served as ``/openapi.json``."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_LEVELS: Schema = {"type": "object", "additionalProperties": {"type": ["number", "null"]}}
_LANES: Schema = {"type": "array", "items": _TEXT}


def _object(properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


_PERCENTILES = _object({"p50": {"type": ["number", "null"]}, "p95": {"type": ["number", "null"]}})
_STATE_NAME: Schema = {
    "type": "string",
    "enum": ["starting", "running", "paused", "stopped", "failed"],
}

SCHEMAS: dict[str, Schema] = {
    "Error": _object({"error": _TEXT, "remedy": _TEXT}),
    "State": _object(
        {
            "state": _STATE_NAME,
            "source": _TEXT,
            "listening_to": _TEXT,
            "model": _TEXT,
            "next_model": _TEXT,
            "provider": _TEXT,
            "slider": {"type": "number", "minimum": 0, "maximum": 100},
            "profile": _TEXT,
            "language": _TEXT,
            "error": _TEXT,
            "preset": _TEXT,
            "version": _TEXT,
            "session": _TEXT,
            "readers": _COUNT,
            "dropped_readers": _COUNT,
        }
    ),
    "Stats": _object(
        {
            "state": _STATE_NAME,
            "model_id": _TEXT,
            "provider": _TEXT,
            "provider_asked": _TEXT,
            "provider_reason": _TEXT,
            "warm_up_ms": _NUMBER,
            "next_model_id": _TEXT,
            "audio_s": _NUMBER,
            "compute_s": _NUMBER,
            "rtf": _NUMBER,
            "lag_s": _NUMBER,
            "lost_samples": _COUNT,
            "level_dbfs": _LEVELS,
            "peak_dbfs": _LEVELS,
            "gain_db": _LEVELS,
            "speaking": _LANES,
            "clipping": _LANES,
            "too_quiet": _LANES,
            "rested": _NUMBER,
            "denoiser_id": _TEXT,
            "first_latency": _PERCENTILES,
            "stable_latency": _PERCENTILES,
            "first_recent_ms": {"type": ["number", "null"]},
            "stable_recent_ms": {"type": ["number", "null"]},
            "revisions": _NUMBER,
            "words": _COUNT,
            "segments": _COUNT,
        }
    )
    # The engine may learn to measure more.
    | {"additionalProperties": True},
    "Model": _object(
        {
            "id": _TEXT,
            "title": _TEXT,
            "languages": {"type": "array", "items": _TEXT},
            "size": _COUNT,
            "installed": {"type": "boolean"},
            "in_use": {"type": "boolean"},
        }
    ),
    "Models": _object(
        {"models": {"type": "array", "items": {"$ref": "#/components/schemas/Model"}}}
    ),
    "Presets": _object(
        {
            "presets": {
                "type": "array",
                "items": _object(
                    {"name": _TEXT, "own": {"type": "boolean"}, "in_use": {"type": "boolean"}}
                ),
            }
        }
    ),
    "Preset": _object({"preset": {"type": "string", "minLength": 1, "maxLength": 60}}),
    "Switched": _object({"model": _TEXT}),
    "Source": _object({"source": {"type": "string", "minLength": 1, "maxLength": 1000}}),
    "Slider": _object({"position": {"type": "number", "minimum": 0, "maximum": 100}}),
    "Profile": _object({"profile": {"type": "string", "minLength": 1, "maxLength": 20}}),
}

_ERRORS = {
    400: "The request is wrong; the text says how.",
    401: "No token, or a wrong one.",
    403: "Asked by another page, or under a name that is not this computer's.",
    404: "There is no such thing.",
    408: "The rest of the request did not come.",
    409: "Not in the present state; the text says what to do.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many requests, connections or readers.",
}
_ALWAYS = (400, 401, 403, 408, 413, 429)


def _answer(schema: str | None, *errors: int, media: str = "application/json") -> Schema:
    content: Schema = {}
    if schema:
        content = {"content": {media: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}}
    responses: Schema = {"200" if schema else "204": {"description": "Done.", **content}}
    for code in sorted({*_ALWAYS, *errors}):
        responses[str(code)] = {
            "description": _ERRORS[code],
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    return {"responses": responses}


def _body(schema: str) -> Schema:
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
        }
    }


def _query(name: str, schema: Schema, text: str) -> Schema:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "schema": schema,
        "description": text,
    }


_REPLAY = [
    _query(
        "from",
        {"type": "integer", "minimum": 0, "maximum": 999_999_999_999_999},
        "Replay the newest state of each line from this segment on.",
    ),
    _query(
        "session",
        {"type": "string", "maxLength": 64},
        "The session that `from` counts in; of another one everything is replayed.",
    ),
]


def description(version: str) -> dict[str, Any]:
    """The document.

    Args:
        version: of the program.
    """
    stream = {
        "description": "Text messages, one JSON object each: `hello` first, then `caption`, "
        "`notice`, `session` and `appearance`. The token comes in the header, in a subprotocol "
        "`captionglass.token.` + base64url, or in the first message "
        '`{"token": "...", "from": 0, "session": "..."}`.',
    }
    captions = _answer(None)
    del captions["responses"]["204"], captions["responses"]["401"]
    captions["responses"]["101"] = {"description": "A WebSocket."}
    captions["responses"]["426"] = {"description": "Not asked for as a WebSocket."}
    events = _answer(None)
    del events["responses"]["204"]
    events["responses"]["200"] = {
        "description": "The same messages as server-sent events, without an end.",
        "content": {"text/event-stream": {"schema": _TEXT}},
    }
    switching = [
        _query("id", {"type": "string", "maxLength": 200}, "This model."),
        _query(
            "lang",
            {"type": "string", "maxLength": 40},
            "The best installed model for this language (BCP 47).",
        ),
    ]
    paths: dict[str, Schema] = {
        "/state": {"get": {"summary": "What runs", **_answer("State")}},
        "/stats": {"get": {"summary": "The engine's figures", **_answer("Stats")}},
        "/start": {"post": {"summary": "Caption, or go on", **_answer("State", 409)}},
        "/pause": {"post": {"summary": "Pause", **_answer("State", 409)}},
        "/source": {
            "put": {
                "summary": "Caption something else: mic, system, both, mic:NAME, app:NAME",
                **_body("Source"),
                **_answer("State", 409, 415),
            }
        },
        "/slider": {
            "put": {
                "summary": "0 shows words earliest, 100 errs least",
                **_body("Slider"),
                **_answer("State", 409, 415),
            }
        },
        "/profile": {
            "put": {
                "summary": "A named stop of the slider",
                **_body("Profile"),
                **_answer("State", 409, 415),
            }
        },
        "/presets": {"get": {"summary": "Presets that could be used", **_answer("Presets")}},
        "/preset": {
            "put": {
                "summary": "Take the source, the model, the slider and the look of a preset",
                **_body("Preset"),
                **_answer("State", 409, 415),
            }
        },
        "/models": {"get": {"summary": "What could be switched to", **_answer("Models")}},
        "/switch_model": {
            "post": {
                "summary": "Go over to another installed model without losing a word",
                "parameters": switching,
                **_answer("Switched", 404, 409),
            }
        },
        "/captions": {
            "get": {
                "summary": "Captions over a WebSocket",
                "parameters": _REPLAY,
                **stream,
                **captions,
            }
        },
        "/events": {
            "get": {"summary": "Captions as server-sent events", "parameters": _REPLAY, **events}
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Captionglass",
            "version": version,
            "description": "Captions and controls of the Captionglass that runs on this computer.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": SCHEMAS,
        },
    }
