// The fields of a contact: each is edited in its place.
import { Button, Text } from "@mantine/core"
import type { Contact, ContactField, ContactPatch } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { queryOf } from "../api/queries.ts"
import { InlineField, type InlineKind } from "../parts/fields/InlineField.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { type ConflictingContact, conflictingContact } from "./merge/conflict.ts"
import { MergeDialog } from "./merge/MergeDialog.tsx"
import { text_fields } from "./person.ts"

type Value = Contact["custom_fields"][string]

const kinds: Readonly<Record<ContactField["value_type"], InlineKind>> = {
  string: "text",
  number: "number",
  boolean: "boolean",
  date: "date",
  tags: "tags",
}

interface Props {
  readonly contact: Contact
}

export const PersonFields = ({ contact }: Props) => {
  const words = useWords("contacts")
  const { may } = useSession()
  const isReadOnly = !may("editor")
  const custom = useQuery(queryOf("contactFields", "list"))
  const patch = useMutationOf("contacts", "patch")
  const params = { contact_id: contact.contact_id }
  const [other, setOther] = useState<ConflictingContact | null>(null)
  const [isMerging, setMerging] = useState(false)
  const save = async (payload: ContactPatch) => {
    try {
      await patch.mutateAsync({ params, payload })
      setOther(null)
    } catch (failure) {
      setOther(conflictingContact(failure))
      throw failure
    }
  }
  const own = (custom.data?.items ?? []).filter(({ type }) => type === "custom")
  return (
    <>
      <Text component="h2" fw={600} size="sm" m={0} mb="xs">
        {words.fieldsTitle}
      </Text>
      {other !== null && (
        <Button
          mb="xs"
          variant="subtle"
          size="compact-sm"
          h="auto"
          maw="100%"
          styles={{ label: { whiteSpace: "normal", overflowWrap: "anywhere", textAlign: "start" } }}
          onClick={() => setMerging(true)}
        >
          {words.merge.offer(other.name)}
        </Button>
      )}
      <dl className="fields">
        {text_fields.map((name) => (
          <InlineField
            key={name}
            label={words.fields[name]}
            kind="text"
            value={contact[name]}
            isReadOnly={isReadOnly}
            onSave={(value) => save({ [name]: value })}
          />
        ))}
        {own.map(({ api_name, display_name, is_editable, value_type }) => (
          <InlineField
            key={api_name}
            label={display_name}
            kind={kinds[value_type]}
            value={contact.custom_fields[api_name] ?? null}
            isReadOnly={isReadOnly || !is_editable}
            onSave={(value: Value) => save({ custom_fields: { [api_name]: value } })}
          />
        ))}
      </dl>
      {other !== null && isMerging && (
        <MergeDialog
          contact={contact}
          otherId={other.contactId}
          onClose={() => {
            setMerging(false)
            setOther(null)
          }}
        />
      )}
    </>
  )
}
