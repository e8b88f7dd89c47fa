"""The official MCP client for Python walks into Sightline: it is let in by OAuth, calls tools, and renews its token.

Reads one JSON object from stdin: `console` and `mcp` (addresses), `email` and `password` (of the person), and `calls` (pairs
of a tool's name and its arguments). Prints one: the names of the tools, each call's answer, and what became of the token.
"""

import asyncio
import json
import sys
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

CALLBACK = "http://127.0.0.1:33418/callback"


class Memory(TokenStorage):
    """Keeps what assistants keep in a file."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Browser:
    """What a browser and the person before it do: open the address, log in, let the app in, and go back to it."""

    def __init__(self, console: str, email: str, password: str) -> None:
        self.api = f"{console}/api/identity"
        self.credentials = {"email": email, "password": password}
        self.told: dict[str, list[str]] = {}

    async def open(self, address: str) -> None:
        async with httpx2.AsyncClient(timeout=30) as browser:
            asked = await browser.get(address)
            page = await browser.get(asked.headers["location"])
            uid = urlsplit(page.headers["location"]).path.rsplit("/", 1)[1]
            session = (await browser.post(f"{self.api}/login/access-token", json=self.credentials)).json()
            headers = {"authorization": f"Bearer {session['access_token']}"}
            answer = {"decision": "allow", "repositories": None, "traces": True, "days": 1}
            consented = await browser.post(f"{self.api}/oauth/interactions/{uid}/consent", headers=headers, json=answer)
            back = await browser.get(consented.raise_for_status().json()["continue_to"])
            self.told = parse_qs(urlsplit(back.headers["location"]).query)

    async def code(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=self.told["code"][0], state=self.told["state"][0], iss=self.told["iss"][0])


async def walk(given: dict[str, Any]) -> dict[str, Any]:
    memory = Memory()
    browser = Browser(given["console"], given["email"], given["password"])
    auth = OAuthClientProvider(
        server_url=given["mcp"],
        client_metadata=OAuthClientMetadata(
            client_name="Official client for Python",
            redirect_uris=[CALLBACK],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
        ),
        storage=memory,
        redirect_handler=browser.open,
        callback_handler=browser.code,
    )
    async with (
        httpx2.AsyncClient(auth=auth, timeout=60) as http,
        streamable_http_client(given["mcp"], http_client=http) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        answers = [await call(session, name, words) for name, words in given["calls"]]
        first = memory.tokens
        auth.context.token_expiry_time = time.time() - 1
        await session.list_tools()
        second = memory.tokens
    assert first is not None and second is not None
    return {
        "tools": tools,
        "answers": answers,
        "scope": second.scope,
        "expires_in": second.expires_in,
        "renewed": first.access_token != second.access_token and first.refresh_token != second.refresh_token,
    }


async def call(session: ClientSession, name: str, words: dict[str, Any]) -> dict[str, Any]:
    answer = await session.call_tool(name, words)
    return {"tool": name, "failed": answer.is_error, "text": "".join(part.text for part in answer.content if part.type == "text")}


print(json.dumps(asyncio.run(walk(json.load(sys.stdin)))))
