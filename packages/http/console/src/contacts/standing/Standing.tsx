// What a contact is in, and whether it gets mail.
import { Button, Group, Paper, Stack, Text } from "@mantine/core"
import type { Contact } from "@tentpole/client"
import { lazy, type ReactNode, Suspense, useState } from "react"
import { HelpIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { FlowsOf } from "./FlowsOf.tsx"
import { ListsOf } from "./ListsOf.tsx"
import { Mail } from "./Mail.tsx"

const InList = lazy(async () => ({ default: (await import("./InList.tsx")).InList }))

interface PartProps {
  readonly title: string
  readonly beside?: ReactNode
  readonly children: ReactNode
}

const Part = ({ beside, children, title }: PartProps) => (
  <section aria-label={title}>
    <Group justify="space-between" mb={6} mih={26}>
      <Text component="h2" fw={600} size="sm" m={0}>
        {title}
      </Text>
      {beside}
    </Group>
    {children}
  </section>
)

export const Standing = ({ contact }: { readonly contact: Contact }) => {
  const words = useWords("contacts")
  const [isAsking, setAsking] = useState(false)
  const { contact_id } = contact
  return (
    <Paper p="md">
      <Stack gap="lg">
        <Part title={words.mail}>
          <Mail contact={contact} />
        </Part>
        <Part
          title={words.lists}
          beside={
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<HelpIcon size={15} />}
              onClick={() => setAsking(true)}
            >
              {words.askInList}
            </Button>
          }
        >
          <ListsOf contactId={contact_id} />
        </Part>
        <Part title={words.flows}>
          <FlowsOf contactId={contact_id} />
        </Part>
      </Stack>
      <Suspense fallback={null}>{isAsking && <InList contact={contact} onClose={() => setAsking(false)} />}</Suspense>
    </Paper>
  )
}
