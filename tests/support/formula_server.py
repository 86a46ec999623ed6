"""An OpenAI-compatible server that knows formulas: the tests' chat server with offline models."""

from __future__ import annotations

from itertools import count

from pytest_autoeval.models import Message
from pytest_autoeval.models.offline.answering import answer, request_in
from pytest_autoeval.models.offline.behaviour import Request
from support.chat_server import Answer, Behaviour, Received, completion


def sensible(request: Received) -> Answer:
    """Describes and reads back every formula correctly."""
    return _answer("offline/faithful", request)


def moody() -> Behaviour:
    """Makes mistakes that depend on the number of earlier requests, so that answers seldom repeat."""
    arrivals = count()
    return lambda request: _answer("offline/student?strength=0.8", request, next(arrivals))


def erring(request: Received) -> Answer:
    """Describes and reads back with mistakes, the same ones for the same prompt."""
    return _answer("offline/student?strength=0.8", request)


def asked(request: Received) -> Request:
    """The request of the last message: to describe a formula or to read a description, with the text."""
    return request_in(_messages(request))


def _answer(model: str, request: Received, seed: int = 0) -> Answer:
    reply = answer(model, _messages(request), seed)
    return Answer(body=completion(reply.text, finish_reason=reply.finish_reason))


def _messages(request: Received) -> list[Message]:
    return [Message(**message) for message in request.body["messages"]]
