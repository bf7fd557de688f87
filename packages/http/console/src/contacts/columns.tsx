// The columns of tables of contacts.
import type { ListedContact } from "@tentpole/client"
import type { Column } from "../parts/table/DataTable.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import type { Words } from "../words/Words.tsx"
import { addressOf, fullNameOf, mailStateOf, mailTones } from "./person.ts"

/** Columns that are shown before the person chooses. */
export const usual_columns = ["name", "status", "city", "activity", "created"]

export const contactColumns = (words: Words["contacts"]): ReadonlyArray<Column<ListedContact>> => {
  const text = (key: "company" | "job_title" | "phone" | "city" | "country" | "lead_status" | "lifecycle_stage") => ({
    key,
    label: words.fields[key],
    width: "minmax(6rem, 1fr)",
    cell: (contact: ListedContact) => contact[key],
  })
  return [
    {
      key: "email",
      label: words.fields.email,
      width: "minmax(13rem, 2fr)",
      sort: "normalized_email",
      cell: addressOf,
    },
    {
      key: "name",
      label: words.fields.display_name,
      width: "minmax(8rem, 1.4fr)",
      sort: "display_name",
      isOnPhone: true,
      cell: fullNameOf,
    },
    {
      key: "status",
      label: words.status,
      width: "8.5rem",
      isOnPhone: true,
      cell: (contact) => {
        const state = mailStateOf(contact)
        return <StatusBadge tone={mailTones[state]} label={words.mailStates[state]} />
      },
    },
    text("city"),
    {
      key: "activity",
      label: words.lastActivity,
      width: "8.5rem",
      sort: "last_activity_at",
      cell: ({ last_activity_at }) => (last_activity_at === null ? null : <Time at={last_activity_at} as="relative" />),
    },
    {
      key: "created",
      label: words.created,
      width: "7.5rem",
      sort: "created_at",
      cell: ({ created_at }) => <Time at={created_at} as="date" />,
    },
    {
      key: "updated",
      label: words.updated,
      width: "8.5rem",
      sort: "updated_at",
      cell: ({ updated_at }) => <Time at={updated_at} as="relative" />,
    },
    text("phone"),
    text("company"),
    text("job_title"),
    text("country"),
    text("lead_status"),
    text("lifecycle_stage"),
  ]
}
