"""The same calls on FastAPI with asyncpg: the same session look-up, rows and transactions as the bare server.

Statements arrive as JSON in the environment, so that both servers run the same SQL. Input is validated with pydantic,
as FastAPI applications do. `GET /cpu` answers the CPU seconds of this process.
"""
import base64
import hashlib
import json
import os
import time
import uuid
from datetime import datetime, timezone

import asyncpg
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, Field

SQL = json.loads(os.environ["PEER_SQL"])
app = FastAPI()


class TaskCreate(BaseModel):
    title: str = Field(min_length=1, max_length=200)
    due_at: datetime
    has_time: bool = False


@app.on_event("startup")
async def open_pool():
    app.state.pool = await asyncpg.create_pool(
        os.environ["PEER_DATABASE"], min_size=1, max_size=int(os.environ["PEER_POOL_SIZE"])
    )


async def caller(authorization: str = Header()) -> uuid.UUID:
    digest = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
    token_hash = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    row = await app.state.pool.fetchrow(SQL["session"], token_hash)
    if row is None or row["expires_at"] <= datetime.now(timezone.utc):
        raise HTTPException(401)
    return row["user_id"]


def ok(data):
    return {"ok": True, "data": data, "error": None}


def new_id() -> uuid.UUID:
    """UUID version 7, as the service makes them."""
    moment = int(time.time() * 1000) << 80
    random = int.from_bytes(os.urandom(10), "big") & ~(0xF << 76) & ~(0x3 << 62)
    return uuid.UUID(int=moment | 0x7 << 76 | random | 0x2 << 62)


@app.get("/cpu")
async def cpu():
    return time.process_time()


@app.get("/v1/tasks")
async def list_tasks(limit: int, user: uuid.UUID = Depends(caller)):
    return ok([dict(row) for row in await app.state.pool.fetch(SQL["list"], user, limit)])


@app.get("/v1/tasks/{task_id}")
async def read_task(task_id: uuid.UUID, user: uuid.UUID = Depends(caller)):
    row = await app.state.pool.fetchrow(SQL["detail"], task_id, user)
    if row is None:
        raise HTTPException(404)
    return ok(dict(row))


@app.get("/v1/sync")
async def sync(since: datetime, user: uuid.UUID = Depends(caller)):
    pool = app.state.pool
    tasks = await pool.fetch(SQL["changed"], user, since)
    removed = await pool.fetch(SQL["removed"], user, since)
    settings = dict(await pool.fetchrow(SQL["user"], user))
    settings["paused_until"] = settings.pop("pause_until")
    settings["welcome_back"] = None
    settings["mfa_enabled"] = settings.pop("mfa_enabled_at") is not None
    return ok(
        {
            "tasks": [dict(row) for row in tasks],
            "removed": [row["task_id"] for row in removed],
            "settings": settings,
            "server_time": datetime.now(timezone.utc),
            "reset": False,
        }
    )


@app.post("/v1/tasks")
async def create_task(task: TaskCreate, user: uuid.UUID = Depends(caller)):
    now = datetime.now(timezone.utc)
    written = task.due_at.isoformat()
    milliseconds = int(task.due_at.timestamp() * 1000)
    row = await app.state.pool.fetchrow(
        SQL["create"], new_id(), user, task.title, task.due_at, written, written[:19], now, milliseconds, new_id()
    )
    return ok(dict(row))


@app.post("/v1/tasks/{task_id}/complete")
async def complete_task(task_id: uuid.UUID, user: uuid.UUID = Depends(caller)):
    now = datetime.now(timezone.utc)
    text = now.isoformat()
    outcome = new_id()
    undo = json.dumps({"at": text, "by": "owner", "tokenId": None, "outcomeId": str(outcome), "fields": {
        "status": "open", "accepted_by_owner": True, "due_at": text, "due_written": text, "has_time": True,
        "overdue_at": text, "series_first": text[:19], "occurrence_number": 1, "occurrence_started_at": text,
        "deferred_until": None, "completed_at": None, "skipped_at": None, "closed_at": None,
    }})
    row = await app.state.pool.fetchrow(
        SQL["complete"], task_id, user, now, undo, -int(now.timestamp() * 1000), outcome, new_id()
    )
    if row is None:
        raise HTTPException(404)
    return ok(dict(row))
