"""What Python makes of messages: dkimpy of their signatures, the standard library's parser of their structure.

Reads a JSON document from standard input, {"txt": {name: value}, "messages": [path], "read": bool}, and prints one: for each
message whether its signature holds and, when it is to be read, what the parser found wrong and what it read.
"""

import email
import email.policy
import json
import sys

import dkim


def main():
    asked = json.load(sys.stdin)
    txt = {name: value.encode() for name, value in asked["txt"].items()}

    def look_up(name, timeout=5):
        return txt.get(name.decode().rstrip("."))

    answers = []
    for path in asked["messages"]:
        with open(path, "rb") as file:
            raw = file.read()
        read = reading(raw) if asked["read"] else {}
        answers.append({"signed": is_signed(raw, look_up), **read})
    json.dump(answers, sys.stdout)


def is_signed(raw, look_up):
    try:
        return dkim.verify(raw, dnsfunc=look_up)
    except dkim.DKIMException:
        return False


def reading(raw):
    # RFC 6532: what is not ASCII in a header is UTF-8. Given bytes the parser would not know.
    message = email.message_from_string(raw.decode("utf-8"), policy=email.policy.SMTPUTF8)
    parts = list(message.walk())
    texts = [part.get_content() for part in parts if part.get_content_maintype() == "text"]
    defects = [each for part in parts for each in part.defects]
    defects += [each for part in parts for value in part.values() for each in value.defects]
    [sender] = message["From"].addresses
    [recipient] = message["To"].addresses
    return {
        "defects": [repr(each) for each in defects],
        "subject": message["Subject"],
        "from": [sender.display_name, sender.addr_spec],
        "to": recipient.addr_spec,
        "types": [part.get_content_type() for part in parts],
        "blank": any("\ufffd" in text or text.strip() == "" for text in texts),
    }


main()
