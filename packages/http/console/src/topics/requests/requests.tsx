// The columns and the action of subscription requests, for all topics and for one.
import type { Subscription } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { RefreshIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import type { Column } from "../../parts/table/DataTable.tsx"
import { RowAction } from "../../parts/table/RowAction.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords, type Words } from "../../words/Words.tsx"
import { requestTones } from "../topic.ts"

type RequestColumn = Column<Subscription>

const email = (words: Words["topics"]): RequestColumn => ({
  key: "email",
  label: words.email,
  width: "minmax(9rem, 2fr)",
  cell: (request) => request.email,
})

const topics = (words: Words["topics"]): RequestColumn => ({
  key: "topics",
  label: words.topics,
  width: "minmax(9rem, 2fr)",
  cell: (request) => request.topics.map(({ name }) => name).join(", "),
})

const times = (words: Words["topics"]): ReadonlyArray<RequestColumn> => [
  {
    key: "status",
    label: words.status,
    width: "7.5rem",
    isOnPhone: true,
    cell: ({ status }) => <StatusBadge tone={requestTones[status]} label={words.requestStatuses[status]} />,
  },
  {
    key: "created",
    label: words.requestedAt,
    width: "7.5rem",
    isOnPhone: true,
    cell: ({ created_at }) => <Time at={created_at} as="relative" />,
  },
]

/** When it was confirmed, or until when it can be. */
const confirmed = (words: Words["topics"]): RequestColumn => ({
  key: "confirmed",
  label: words.confirmedAt,
  width: "9rem",
  cell: ({ confirmed_at, expires_at, status }) => {
    if (confirmed_at !== null) return <Time at={confirmed_at} as="relative" />
    if (status !== "pending") return "–"
    return (
      <span className="nothing">
        {words.until} <Time at={expires_at} as="date" />
      </span>
    )
  },
})

export const columnsOf = (words: Words["topics"]): ReadonlyArray<RequestColumn> => [
  email(words),
  topics(words),
  ...times(words),
  confirmed(words),
]

export const columnsOfTopic = (words: Words["topics"]): ReadonlyArray<RequestColumn> => [
  email(words),
  ...times(words),
  confirmed(words),
]

export const pathOfRequest = ({ contact_id }: Subscription): string | null =>
  contact_id === null ? null : `/contacts/${contact_id}`

const ResendDialog = ({ onClose, request }: { readonly request: Subscription; readonly onClose: () => void }) => {
  const words = useWords("topics")
  const resend = useMutationOf("subscriptions", "resend", {
    done: () => words.resent(request.email),
    onDone: onClose,
  })
  return (
    <Confirm
      title={words.resendTitle}
      text={words.resendText(request.email)}
      action={words.resendAction}
      isDangerous={false}
      isPending={resend.isPending}
      error={resend.error}
      onClose={onClose}
      onConfirm={() =>
        resend.mutate({ params: { subscriptionRequestId: request.subscription_request_id }, payload: {} })
      }
    />
  )
}

/** The action at the end of a row, and its dialog. */
export const useResend = () => {
  const words = useWords("topics")
  const [asked, setAsked] = useState<Subscription | null>(null)
  return {
    actions: (request: Subscription) =>
      request.status === "pending" && (
        <RowAction
          label={words.resend}
          of={request.email}
          icon={<RefreshIcon size={16} />}
          onClick={() => setAsked(request)}
        />
      ),
    dialog: asked === null ? null : <ResendDialog request={asked} onClose={() => setAsked(null)} />,
  }
}
