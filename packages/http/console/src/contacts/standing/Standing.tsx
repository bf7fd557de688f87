// What a contact is in, and whether it gets mail.
import { Button, Paper, Stack } from "@mantine/core"
import type { Contact } from "@tentpole/client"
import { lazy, type ReactNode, Suspense, useState } from "react"
import { HelpIcon, LinkIcon } from "../../Icons.tsx"
import { PanelHead } from "../../parts/PageHeader.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { FlowsOf } from "./FlowsOf.tsx"
import { ListsOf } from "./ListsOf.tsx"
import { Mail } from "./Mail.tsx"
import { TopicsOf } from "./TopicsOf.tsx"

const InList = lazy(async () => ({ default: (await import("./InList.tsx")).InList }))
const PreferencesLink = lazy(async () => ({ default: (await import("./PreferencesLink.tsx")).PreferencesLink }))

interface PartProps {
  readonly title: string
  readonly beside?: ReactNode
  readonly children: ReactNode
}

const Part = ({ beside, children, title }: PartProps) => (
  <section aria-label={title}>
    <PanelHead title={title} {...(beside === undefined ? {} : { beside })} />
    {children}
  </section>
)

export const Standing = ({ contact }: { readonly contact: Contact }) => {
  const words = useWords("contacts")
  const topics = useWords("topics")
  const { may } = useSession()
  const [open, setOpen] = useState<"list" | "link" | null>(null)
  const close = () => setOpen(null)
  const { contact_id } = contact
  return (
    <Paper p="md">
      <Stack gap="lg">
        <Part title={words.mail}>
          <Mail contact={contact} />
        </Part>
        <Part
          title={topics.chosen.title}
          beside={
            may("editor") && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<LinkIcon size={15} />}
                onClick={() => setOpen("link")}
              >
                {topics.chosen.link}
              </Button>
            )
          }
        >
          <TopicsOf contact={contact} />
        </Part>
        <Part
          title={words.lists}
          beside={
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<HelpIcon size={15} />}
              onClick={() => setOpen("list")}
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
      <Suspense fallback={null}>
        {open === "list" && <InList contact={contact} onClose={close} />}
        {open === "link" && <PreferencesLink contactId={contact_id} onClose={close} />}
      </Suspense>
    </Paper>
  )
}
