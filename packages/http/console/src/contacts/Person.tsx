// The screen of one contact: its fields, which are edited in place, and its timeline.
import { ActionIcon, Grid, Menu, Paper, Skeleton, Stack, Text } from "@mantine/core"
import type { Contact } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { queryOf } from "../api/queries.ts"
import { DotsIcon, TrashIcon } from "../Icons.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { CopyButton, CurlButton } from "../parts/Copy.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { AddToList } from "./AddToList.tsx"
import { addressOf, mailStateOf, mailTones, nameOf } from "./person.ts"
import { PersonFields } from "./PersonFields.tsx"
import { Timeline } from "./Timeline.tsx"

const DeletePerson = ({ contact, onClose }: { readonly contact: Contact; readonly onClose: () => void }) => {
  const words = useWords("contacts")
  const navigate = useNavigate()
  const remove = useMutationOf("contacts", "deleteOne", {
    done: () => words.deleted(1),
    onDone: () => navigate({ to: "/contacts" }),
  })
  return (
    <Confirm
      title={words.deleteTitle(1)}
      text={words.deleteText}
      action={words.deleteAction}
      typed={addressOf(contact)}
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { contact_id: contact.contact_id } })}
    />
  )
}

const Actions = ({ contact }: { readonly contact: Contact }) => {
  const words = useWords("contacts")
  const shell = useWords("shell")
  const { may } = useSession()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <>
      <CurlButton call={["contacts", "find", { params: { contact_id: contact.contact_id } }]} />
      {may("editor") && (
        <>
          <AddToList contactIds={[contact.contact_id]} />
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" size="lg" aria-label={shell.more}>
                <DotsIcon />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => setDeleting(true)}>
                {words.deleteThese}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      )}
      {isDeleting && <DeletePerson contact={contact} onClose={() => setDeleting(false)} />}
    </>
  )
}

const Loading = () => {
  const { loading } = useWords("shell")
  return (
    <Stack className="late" aria-label={loading} role="status">
      <Skeleton h={28} w={260} />
      <Skeleton h={16} w={180} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Skeleton h={420} radius="lg" />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Skeleton h={420} radius="lg" />
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

export const Person = () => {
  const words = useWords("contacts")
  const { contactId } = useParams({ from: "/contacts/$contactId" })
  const found = useQuery(queryOf("contacts", "find", { params: { contact_id: contactId } }))
  const back = <BackLink to="/contacts" label={words.title} />
  if (found.isPending) return <Loading />
  if (found.isError) {
    return (
      <>
        <PageHeader above={back} title={words.person} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const contact = found.data
  const state = mailStateOf(contact)
  return (
    <>
      <PageHeader
        above={back}
        title={nameOf(contact)}
        beside={<StatusBadge tone={mailTones[state]} label={words.mailStates[state]} />}
        text={
          <>
            {addressOf(contact)} <CopyButton value={addressOf(contact)} label={addressOf(contact)} /> ·{" "}
            {words.createdAt} <Time at={contact.created_at} as="date" />
          </>
        }
        actions={<Actions contact={contact} />}
      />
      <Text size="sm" mb="md">
        {words.mailTexts[state]}
      </Text>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper p="md" component="section" aria-label={words.fieldsTitle}>
            <PersonFields contact={contact} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper p="md" component="section" aria-label={words.timeline}>
            <Timeline contactId={contactId} />
          </Paper>
        </Grid.Col>
      </Grid>
    </>
  )
}
