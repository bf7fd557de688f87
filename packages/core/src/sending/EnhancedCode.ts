// Enhanced status codes (RFC 3463): what a server reports about an address in three numbers, and what that means.

/** `5.1.1`: class 2 success, 4 temporary, 5 permanent; subject 1 the address, 2 the mailbox, 7 policy … (RFC 3463 §2). */
export interface EnhancedCode {
  readonly class: 2 | 4 | 5
  readonly subject: number
  readonly detail: number
}

/** `hard`: the address is bad permanently. `soft`: this message did not arrive; the next one may. */
export type BounceKind = "hard" | "soft"

const written = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]*\d)/

const ofMatch = (match: RegExpExecArray | null): EnhancedCode | undefined => {
  if (match === null) return undefined
  const [, first, subject, detail] = match
  return {
    class: first === "2" ? 2 : first === "4" ? 4 : 5,
    subject: Number(subject),
    detail: Number(detail),
  }
}

/** The first code in a text that contains little else: a `Status` field, a diagnostic. */
export const codeIn = (text: string): EnhancedCode | undefined => ofMatch(written.exec(text))

/** The code of an SMTP reply, directly behind the three digits (RFC 2034 §4). */
export const codeOfReply = (reply: string): EnhancedCode | undefined => {
  const behind = /^\d{3}[ -](.*)/s.exec(reply)?.[1]
  return behind === undefined || !/^[245]\.\d{1,3}\.\d{1,3}(?!\d)/.test(behind) ? undefined : codeIn(behind)
}

export const codeText = (code: EnhancedCode): string => `${code.class}.${code.subject}.${code.detail}`

/** Codes of the subject "address" about the sender, or saying that the address is good. */
const notTheRecipient: ReadonlySet<number> = new Set([5, 7, 8])

/** Whether the code says permanently that the recipient's address is bad: 5.1.x, except codes about the sender. */
export const isBadAddress = (code: EnhancedCode): boolean =>
  code.class === 5 && code.subject === 1 && !notTheRecipient.has(code.detail)

/** Codes of the subject "mailbox" about the message: too long for it, or a list that can't be expanded. */
const notTheMailbox: ReadonlySet<number> = new Set([3, 4])

/** Whether the code is about the state of the recipient's mailbox: full, disabled (RFC 3463 §3.3). */
export const isMailboxUnavailable = (code: EnhancedCode): boolean =>
  code.class !== 2 && code.subject === 2 && !notTheMailbox.has(code.detail)
