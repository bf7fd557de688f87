// The steps of a new workspace, done by doing: each has its button and its curl, and is ticked when its thing exists.
import { Button, Code, Group, Paper, Stack, Text, ThemeIcon } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { queryOf } from "../api/queries.ts"
import { CheckIcon, ContactsIcon, DomainsIcon, EmailsIcon, TentsIcon } from "../Icons.tsx"
import { CopyButton, CurlButton } from "../parts/Copy.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import type { FirstStep } from "./home.ts"
import { useHasScreen } from "./Panel.tsx"

/** The domain that every installation can send from, to its own inbox. */
const example_domain = "example.test"

const icons: Readonly<Record<FirstStep, ReactNode>> = {
  contact: <ContactsIcon size={18} />,
  email: <EmailsIcon size={18} />,
  page: <TentsIcon size={18} />,
  domain: <DomainsIcon size={18} />,
}

interface StepProps {
  readonly step: FirstStep
  readonly isDone: boolean
  readonly error: unknown
  readonly children: ReactNode
}

const Step = ({ children, error, isDone, step }: StepProps) => {
  const words = useWords("home")
  const { text, title } = words.firstSteps[step]
  return (
    <Paper p="md" component="li" className="first-step">
      <Group justify="space-between" gap="md">
        <Group gap="md" wrap="nowrap" className="grow">
          <ThemeIcon variant="light" color={isDone ? "green" : "gray"} radius="xl" size={36} aria-hidden="true">
            {isDone ? <CheckIcon size={18} /> : icons[step]}
          </ThemeIcon>
          <div>
            <Text component="h2" fw={600} size="sm" m={0}>
              {title}
              {isDone && <span className="done"> · {words.done}</span>}
            </Text>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          </div>
        </Group>
        <Group gap="xs">{children}</Group>
      </Group>
      {error !== null && error !== undefined && <Problem error={error} />}
    </Paper>
  )
}

/** The way to the thing, once it exists and has a screen. */
const Open = ({ path }: { readonly path: string }) => {
  const words = useWords("home")
  const hasScreen = useHasScreen()
  if (!hasScreen(path)) return null
  return (
    <Button component={Link} to={path} variant="default">
      {words.open}
    </Button>
  )
}

const ContactStep = () => {
  const words = useWords("home")
  const { may, session } = useSession()
  const found = useQuery(queryOf("contacts", "list", { query: { limit: 1 } }))
  const isDone = (found.data?.pagination?.total ?? 0) > 0
  const payload = { items: [{ email: session.user.email, display_name: session.user.name }] }
  const add = useMutationOf("contacts", "upsert", { done: () => words.contactAdded })
  return (
    <Step step="contact" isDone={isDone} error={add.error}>
      <CurlButton call={["contacts", "upsert", { payload }]} />
      {isDone ? (
        <Open path="/contacts" />
      ) : (
        may("editor") && (
          <Button loading={add.isPending} onClick={() => add.mutate({ payload })}>
            {words.addMe}
          </Button>
        )
      )}
    </Step>
  )
}

const EmailStep = ({ domain }: { readonly domain: string }) => {
  const words = useWords("home")
  const { may, session } = useSession()
  const hasScreen = useHasScreen()
  const found = useQuery(queryOf("emails", "list", { query: { limit: 1 } }))
  const isDone = (found.data?.emails.length ?? 0) > 0
  const address = `hello@${domain}`
  const payload = { ...words.firstEmail, from_address: address, reply_to_email: address }
  const send = useMutationOf("emails", "testSend", { done: () => words.emailSent(session.user.email) })
  const create = useMutationOf("emails", "create", {
    onDone: ({ email_id }) => send.mutate({ params: { emailId: email_id }, payload: { to: [session.user.email] } }),
  })
  return (
    <Step step="email" isDone={isDone} error={create.error ?? send.error}>
      <CurlButton call={["emails", "create", { payload }]} />
      {isDone ? (
        <Open path={hasScreen("/inbox") ? "/inbox" : "/emails"} />
      ) : (
        may("sender") && (
          <Button loading={create.isPending || send.isPending} onClick={() => create.mutate({ payload })}>
            {words.sendFirst}
          </Button>
        )
      )}
    </Step>
  )
}

const PageStep = () => {
  const words = useWords("home")
  const { may } = useSession()
  const found = useQuery(queryOf("tents", "list", { query: { limit: 1 } }))
  const [page] = found.data?.tents ?? []
  const isDone = page !== undefined
  const url = page?.publication?.published_url
  const payload = { ...words.firstPage, auto_publish: true, custom_page_alias: "hello" }
  const create = useMutationOf("tents", "create", { done: () => words.pagePublished })
  return (
    <Step step="page" isDone={isDone} error={create.error}>
      <CurlButton call={["tents", "create", { payload }]} />
      {url !== undefined && (
        <Button component="a" href={url} target="_blank" rel="noreferrer" variant="default">
          {words.open}
        </Button>
      )}
      {!isDone && may("sender") && (
        <Button loading={create.isPending} onClick={() => create.mutate({ payload })}>
          {words.publishFirst}
        </Button>
      )}
    </Step>
  )
}

const DomainStep = ({ isDone }: { readonly isDone: boolean }) => {
  const words = useWords("home")
  const hasScreen = useHasScreen()
  const command = "tentpole domain create example.com"
  return (
    <Step step="domain" isDone={isDone} error={null}>
      {hasScreen("/domains") ? (
        <Button component={Link} to="/domains" variant={isDone ? "default" : "filled"}>
          {isDone ? words.open : words.addDomain}
        </Button>
      ) : (
        <Group gap={4} wrap="nowrap">
          <Code>{command}</Code>
          <CopyButton value={command} label={command} />
        </Group>
      )}
    </Step>
  )
}

export const FirstSteps = () => {
  const words = useWords("home")
  const { may, workspace } = useSession()
  const verified = (workspace?.domains ?? []).filter(({ status }) => status === "verified").map(({ domain }) => domain)
  const own = verified.find((domain) => domain !== example_domain)
  return (
    <>
      <Stack component="ol" gap="sm" className="first-steps" aria-label={words.begin}>
        <ContactStep />
        <EmailStep domain={own ?? verified[0] ?? example_domain} />
        <PageStep />
        {may("owner") && <DomainStep isDone={own !== undefined} />}
      </Stack>
      <Group mt="md" gap="xs">
        <Text size="sm" c="dimmed">
          {words.thenBlast}
        </Text>
        <Button component={Link} to="/blasts" variant="subtle" size="compact-sm">
          {words.toBlasts}
        </Button>
      </Group>
    </>
  )
}
