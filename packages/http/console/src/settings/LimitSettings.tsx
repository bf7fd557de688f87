// The limits of the workspace: how fast its messages leave, which operators change, and what its plan allows.
import { Paper, SimpleGrid, Text, TextInput } from "@mantine/core"
import type { Admin, WorkspaceOverview } from "@tentpole/client"
import type { ReactNode } from "react"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { Section } from "./Section.tsx"
import { SettingsForm } from "./SettingsForm.tsx"

const textOf = (limit: number | null): string => (limit === null ? "" : String(limit))

const valuesOf = ({ sending_limits }: Admin.Workspace) => ({
  per_second: textOf(sending_limits.per_second),
  per_domain_per_second: textOf(sending_limits.per_domain_per_second),
})

/** A text that is no number is sent as 0, which the service refuses with its own words. */
const limitOf = (text: string | undefined): number | null => {
  const trimmed = (text ?? "").trim()
  if (trimmed === "") return null
  return /^\d{1,7}$/.test(trimmed) ? Number(trimmed) : 0
}

const payloadOf = (values: Record<string, string>): Admin.UpdateWorkspace => ({
  sending_limits: {
    per_second: limitOf(values["per_second"]),
    per_domain_per_second: limitOf(values["per_domain_per_second"]),
  },
})

const Row = ({ children, label }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="field">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

const useShown = () => {
  const words = useWords("settings")
  const shell = useWords("shell")
  return {
    count: (limit: number | null) => (limit === null ? words.limits.noLimit : words.number(limit)),
    flag: (isAllowed: boolean) => (isAllowed ? shell.yes : shell.no),
  }
}

const Speed = ({ limits }: { readonly limits: WorkspaceOverview["sending_limits"] }) => {
  const words = useWords("settings").limits
  const { count } = useShown()
  return (
    <Paper p="lg" component="section" aria-label={words.speed}>
      <Text component="h2" fw={600} size="sm" m={0}>
        {words.speed}
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        {words.operators}
      </Text>
      <dl className="fields">
        <Row label={words.perSecond}>{count(limits.per_second)}</Row>
        <Row label={words.perDomain}>{count(limits.per_domain_per_second)}</Row>
      </dl>
    </Paper>
  )
}

const EditableSpeed = () => {
  const words = useWords("settings").limits
  return (
    <SettingsForm valuesOf={valuesOf} payloadOf={payloadOf}>
      {(form) => (
        <>
          <Text component="h2" fw={600} size="sm" m={0}>
            {words.speed}
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={words.perSecond}
              inputMode="numeric"
              placeholder={words.noLimit}
              {...form.getInputProps("per_second")}
            />
            <TextInput
              label={words.perDomain}
              inputMode="numeric"
              placeholder={words.noLimit}
              {...form.getInputProps("per_domain_per_second")}
            />
          </SimpleGrid>
          <Text size="sm" c="dimmed">
            {words.perDomainText}
          </Text>
        </>
      )}
    </SettingsForm>
  )
}

const PlanLimits = ({ limits, plan }: Pick<WorkspaceOverview, "limits" | "plan">) => {
  const words = useWords("settings").limits
  const { count, flag } = useShown()
  return (
    <Paper p="lg" mt="md" component="section" aria-label={words.plan(plan)}>
      <Text component="h2" fw={600} size="sm" m={0} mb="xs">
        {words.plan(plan)}
      </Text>
      <dl className="fields">
        <Row label={words.emails}>{count(limits.emails_per_day_max)}</Row>
        <Row label={words.contacts}>{count(limits.contacts_max)}</Row>
        <Row label={words.recipients}>{count(limits.recipients_per_blast_max)}</Row>
        <Row label={words.tents}>{count(limits.published_tents_max)}</Row>
        <Row label={words.flows}>{flag(limits.flows)}</Row>
        <Row label={words.branding}>{flag(limits.branding_removable)}</Row>
      </dl>
    </Paper>
  )
}

export const LimitSettings = () => {
  const words = useWords("settings").limits
  const { isOperator, workspace } = useSession()
  return (
    <Section name="limits" text={words.text}>
      {isOperator ? <EditableSpeed /> : workspace !== undefined && <Speed limits={workspace.sending_limits} />}
      {workspace !== undefined && <PlanLimits limits={workspace.limits} plan={workspace.plan} />}
    </Section>
  )
}
