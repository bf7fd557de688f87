// Writes of the API. Two clicks are one write: the idempotency key is made when the form opens.
import { ApiError } from "@tentpole/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useRef } from "react"
import { useWords } from "../words/Words.tsx"
import { accounts, admin, api } from "./client.ts"
import { methodOf, type RequestOf, type ValueOf } from "./queries.ts"

/** Groups of calls whose answers a write of a group makes stale, besides its own. */
const alsoStale: Readonly<Record<string, ReadonlyArray<string>>> = {
  contacts: ["lists", "segments", "flowMembers", "analytics"],
  contactFields: ["contacts", "lists", "segments"],
  lists: ["contacts", "segments", "blasts"],
  imports: ["contacts", "lists", "segments", "contactFields", "analytics"],
  emails: ["blasts", "flows", "analytics"],
  emailTemplates: ["emails", "analytics"],
  blasts: ["emails", "lists", "analytics"],
  flows: ["flowMembers"],
  flowMembers: ["flows", "contacts"],
  emailMessages: ["contacts", "analytics"],
  outbox: ["blasts", "contacts", "flowMembers", "analytics"],
  tents: ["forms", "analytics"],
  tentTemplates: ["tents", "analytics"],
  tentAssets: ["tents"],
  bulkTents: ["tents", "analytics"],
  suppressions: ["contacts"],
  topics: ["contacts", "consentRecords", "subscriptions", "blasts", "flows", "analytics", "hostedPages"],
  subscriptions: ["topics", "contacts", "consentRecords", "analytics"],
  webhookEndpoints: ["webhookDeliveries"],
  webhookDeliveries: ["webhookEndpoints"],
  "accounts.user": ["accounts.sessions"],
  "admin.contacts": ["contacts", "lists", "analytics"],
  "admin.domains": ["workspace"],
  "admin.jobs": ["admin.operations"],
  "admin.invitations": ["admin.members"],
  "admin.pageDomains": ["workspace"],
  "admin.suppressions": ["contacts", "suppressions"],
  "admin.workspaces": ["workspace", "analytics", "hostedPages"],
}

/** The library of notifications is loaded with the page's idle time, or with the first one. */
const notify = async (message: string, close: string): Promise<void> => {
  const { notifications } = await import("@mantine/notifications")
  notifications.show({ message, closeButtonProps: { "aria-label": close } })
}

interface Options<Value, Request> {
  /** The text of the notification after success. Null shows none. */
  readonly done?: (value: Value, request: Request) => string | null
  /** Closes the form or leads on. What became stale is requested after it. */
  readonly onDone?: (value: Value, request: Request) => unknown
}

/** An answer that says the write was refused: the next attempt is another write. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500 && error.status !== 429

const writesOf =
  <Client>(client: Client, prefix: string) =>
  <Group extends keyof Client & string, Name extends keyof Client[Group] & string>(
    group: Group,
    name: Name,
    { done, onDone }: Options<ValueOf<Client[Group][Name]>, RequestOf<Client[Group][Name]>[0]> = {},
  ) => {
    type Request = RequestOf<Client[Group][Name]>[0]
    const { close } = useWords("shell")
    const stale = useQueryClient()
    const key = useRef(crypto.randomUUID())
    const renew = () => {
      key.current = crypto.randomUUID()
    }
    return useMutation<ValueOf<Client[Group][Name]>, Error, Request>({
      mutationFn: (request) => methodOf(client, group, name)(request, { idempotencyKey: key.current }),
      onError: (error) => {
        if (isRefusal(error)) renew()
      },
      onSuccess: async (value, request) => {
        renew()
        const room = prefix + group
        const rooms = [room, ...(alsoStale[room] ?? [])]
        const text = done?.(value, request) ?? null
        if (text !== null) void notify(text, close)
        // First, because a deleted thing must not be requested again by its own screen.
        await onDone?.(value, request)
        // Screens that are not open must not begin with an old answer.
        for (const each of rooms) stale.removeQueries({ queryKey: [each], type: "inactive" })
        await Promise.all(rooms.map((each) => stale.invalidateQueries({ queryKey: [each] })))
      },
    })
  }

/** A write of `/v1`: `const create = useMutationOf("contacts", "create", { done: () => words.created })`. */
export const useMutationOf = writesOf(api, "")

/** The same for `/admin/v1`. */
export const useAdminMutationOf = writesOf(admin, "admin.")

/** The same for `/auth/v1`. */
export const useAccountsMutationOf = writesOf(accounts, "accounts.")
