// The list of contacts.
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/queries.ts"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"

export const ContactList = () => {
  const words = useWords("contacts")
  const contacts = useQuery(queryOf("contacts", "list", { query: { limit: 25 } }))
  return (
    <>
      <PageHeader title={words.title} text={words.count(contacts.data?.pagination?.total ?? 0)} />
      {contacts.isError && <Problem error={contacts.error} onRetry={contacts.refetch} />}
      <ul>
        {contacts.data?.items.map(({ contact_id, email }) => (
          <li key={contact_id}>{email}</li>
        ))}
      </ul>
    </>
  )
}
