import json

from tests.support.functions import Context, Deployment, event


def test_the_sample_event_asks_for_a_crawl_that_is_not_there(stack: Deployment) -> None:
    answer = stack.load("results").handler(event("results"), Context())
    assert answer["statusCode"] == 404
    assert json.loads(answer["body"])["detail"] == "crawl 20261121-100000-aaaaaaaa does not exist"
