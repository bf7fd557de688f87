// Tests of the headers of pages.
import { contentSecurityPolicy } from "@tentpole/http/pages/PageAnswers"
import { assert, describe, it } from "@effect/vitest"

describe("contentSecurityPolicy", () => {
  const policyOf = (logoUrl: string) => contentSecurityPolicy({ logoUrl, iconUrl: null })

  it.each([
    ["https://cdn.example.com/x.png", "https://cdn.example.com"],
    ["http://[::1]:8080/x.png", "http://[::1]:8080"],
    ["https://bücher.example/x.png", "https://xn--bcher-kva.example"],
  ])("allows the images of %s", (url, origin) => {
    assert.include(policyOf(url), `img-src 'self' data: ${origin};`)
  })

  it.each(["https://a;script-src/x.png", "https://a,b/x.png", "https://'unsafe-inline'/x.png", "https://*/x.png"])(
    "does not name the host of %s",
    (url) => {
      assert.include(policyOf(url), "img-src 'self' data:;")
      assert.notMatch(policyOf(url), /script-src|unsafe-inline'[,/]|\*/)
    },
  )
})
