// Page domains: hosts of a workspace for its pages.
import { type DateTime, Result, Schema } from "effect"
import { PageDomainId } from "../kernel/Ids.ts"
import { existing, Invalid, refusalClass } from "../kernel/Refusal.ts"
import { checkDomain } from "../kernel/values/DomainName.ts"

export interface PageDomain {
  readonly id: PageDomainId
  /** A-label, lower case. */
  readonly domain: string
  readonly createdAt: DateTime.Utc
}

/** Another workspace uses the host. */
export class PageDomainTaken extends refusalClass<PageDomainTaken>()("PageDomainTaken", {
  code: "conflict",
  fields: { domain: Schema.String, existingId: Schema.NullOr(PageDomainId) },
  message: ({ domain }) => `${domain} is already a page domain of this or another workspace. Remove it there first`,
  details: existing,
}) {}

/** Checks a page domain: it is neither a host of the service nor below the host of all pages. */
export const checkPageDomain = (
  path: string,
  text: string,
  service: { readonly pagesHost: string; readonly hosts: ReadonlyArray<string> },
): Result.Result<string, Invalid> =>
  Result.flatMap(checkDomain(path, text), (domain) => {
    const pages = service.pagesHost.toLowerCase()
    if (domain === pages || domain.endsWith(`.${pages}`)) {
      return Result.fail(Invalid.at(path, `must not be ${pages} or below it: every workspace has a name there already`))
    }
    return service.hosts.includes(domain)
      ? Result.fail(Invalid.at(path, `${domain} is an address of this service`))
      : Result.succeed(domain)
  })
