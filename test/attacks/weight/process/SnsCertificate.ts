// The certificate of SNS inside a service process, loaded by `--import`: hooks of Amazon SES need no network.
import { readFileSync } from "node:fs"

const host = "https://sns.eu-west-1.amazonaws.com/"
const certificate = readFileSync(new URL("../../../fixtures/sns/certificate.pem", import.meta.url), "utf8")
const { fetch } = globalThis

globalThis.fetch = (input, init) =>
  String(input instanceof Request ? input.url : input).startsWith(host)
    ? Promise.resolve(new Response(certificate))
    : fetch(input, init)
