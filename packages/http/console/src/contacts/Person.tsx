// The screen of one contact: what it is in, its fields, which are edited in place, and its timeline.
import { Grid, Paper, Skeleton, Stack } from "@mantine/core"
import type { Contact } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Navigate, useParams } from "@tanstack/react-router"
import { lazy, Suspense, useRef } from "react"
import { queryOf } from "../api/queries.ts"
import { CopyButton, CurlButton } from "../parts/Copy.tsx"
import { BackLink } from "../parts/BackLink.tsx"
import { PageHeader } from "../parts/PageHeader.tsx"
import { Problem } from "../parts/Problem.tsx"
import { StatusBadge } from "../parts/StatusBadge.tsx"
import { Time } from "../parts/Time.tsx"
import { useSession } from "../session.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords } from "../words/Words.tsx"
import { AddToList } from "./AddToList.tsx"
import { mergedContact } from "./merge/conflict.ts"
import { addressOf, mailStateOf, mailTones, nameOf } from "./person.ts"
import { PersonFields } from "./PersonFields.tsx"
import { AddToFlow } from "./standing/AddToFlow.tsx"
import { PersonMenu } from "./standing/PersonMenu.tsx"
import { Timeline } from "./Timeline.tsx"

const Standing = lazy(async () => ({ default: (await import("./standing/Standing.tsx")).Standing }))
const ConsentRecords = lazy(async () => ({
  default: (await import("./standing/ConsentRecords.tsx")).ConsentRecords,
}))

const Actions = ({ contact }: { readonly contact: Contact }) => {
  const { may } = useSession()
  return (
    <>
      <CurlButton call={["contacts", "find", { params: { contact_id: contact.contact_id } }]} />
      {may("editor") && (
        <>
          <AddToList contactIds={[contact.contact_id]} />
          {may("sender") && <AddToFlow contactId={contact.contact_id} />}
          <PersonMenu contact={contact} />
        </>
      )}
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
  const fields = useRef<HTMLDivElement>(null)
  useKeys({ e: () => fields.current?.querySelector("button")?.click() })
  const found = useQuery(queryOf("contacts", "find", { params: { contact_id: contactId } }))
  const back = <BackLink to="/contacts" label={words.title} />
  if (found.isPending) return <Loading />
  if (found.isError) {
    const mergedInto = mergedContact(found.error)
    // The contact was merged: its address leads to the one that has taken it over.
    if (mergedInto !== null) return <Navigate to="/contacts/$contactId" params={{ contactId: mergedInto }} replace />
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
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <Suspense fallback={<Skeleton className="late" h={230} radius="lg" />}>
              <Standing contact={contact} />
              <ConsentRecords contactId={contactId} />
            </Suspense>
            <Paper p="md" component="section" aria-label={words.fieldsTitle} ref={fields}>
              <PersonFields contact={contact} />
            </Paper>
          </Stack>
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
