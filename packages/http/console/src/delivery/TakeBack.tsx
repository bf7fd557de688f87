// The question before a suppression is taken back, with what the contact itself still says.
import { Stack, Text } from "@mantine/core"
import type { Suppression } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMutationOf } from "../api/mutations.ts"
import { queryOf } from "../api/queries.ts"
import { mailStateOf, nameOf } from "../contacts/person.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { useWords } from "../words/Words.tsx"

const ContactState = ({ email }: { readonly email: string }) => {
  const words = useWords("delivery")
  const found = useQuery(queryOf("contacts", "list", { query: { search: email, limit: 20 } }))
  if (found.data === undefined) return null
  const contact = found.data.items.find((each) => each.email?.toLowerCase() === email)
  if (contact === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {words.noContact}
      </Text>
    )
  }
  return (
    <Text size="sm">
      {words.contactStays[mailStateOf(contact)]}{" "}
      <Link to="/contacts/$contactId" params={{ contactId: contact.contact_id }} className="link inline">
        {nameOf(contact)}
      </Link>
    </Text>
  )
}

interface Props {
  readonly suppression: Suppression
  readonly onClose: () => void
}

export const TakeBack = ({ onClose, suppression: { email, reason } }: Props) => {
  const words = useWords("delivery")
  const remove = useMutationOf("suppressions", "remove", { done: () => words.tookBack(email), onDone: onClose })
  return (
    <Confirm
      title={words.takeBackTitle(email)}
      text={
        <Stack gap="xs">
          {words.takeBackText[reason]}
          <ContactState email={email} />
        </Stack>
      }
      action={words.takeBackAction}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { email } })}
      onClose={onClose}
    />
  )
}
