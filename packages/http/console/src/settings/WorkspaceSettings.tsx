// The workspace: its name, addresses and time zone, and its end. Members who are no owners read it.
import { Button, Group, Paper, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core"
import type { Admin } from "@tentpole/client"
import { lazy, type ReactNode, Suspense, useState } from "react"
import { slug } from "../api/client.ts"
import { useSession } from "../session.tsx"
import { useLanguage, useWords } from "../words/Words.tsx"
import { Section } from "./Section.tsx"
import { orNull, type SettingsFields, SettingsForm } from "./SettingsForm.tsx"

const DeleteWorkspace = lazy(async () => ({ default: (await import("./DeleteWorkspace.tsx")).DeleteWorkspace }))

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")]

/** The name of a country by its code; empty for an unknown one. */
const useCountryName = () => {
  const { language } = useLanguage()
  const names = new Intl.DisplayNames(language, { type: "region", fallback: "none" })
  return (code: string): string => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? "") : "")
}

const valuesOf = (settings: Admin.Workspace) => ({
  name: settings.name,
  slug: settings.slug,
  time_zone: settings.time_zone,
  default_country: settings.default_country,
  postal_address: settings.postal_address ?? "",
})

const payloadOf = (values: Record<string, string>): Admin.UpdateWorkspace => ({
  name: (values["name"] ?? "").trim(),
  slug: (values["slug"] ?? "").trim(),
  time_zone: values["time_zone"] ?? "UTC",
  default_country: (values["default_country"] ?? "").trim().toUpperCase(),
  postal_address: orNull(values["postal_address"]),
})

/** The console's address has the slug. Another name shows in its header after a load. */
const goOn = (saved: Admin.Workspace, before: Admin.Workspace) => {
  if (saved.slug !== before.slug || saved.name !== before.name) location.assign(`/w/${saved.slug}/settings/workspace`)
}

const Fields = ({ form }: { readonly form: SettingsFields }) => {
  const words = useWords("settings").workspace
  const countryName = useCountryName()
  const country = form.values["default_country"]?.toUpperCase() ?? ""
  return (
    <>
      <TextInput
        label={words.name}
        description={words.nameText}
        required
        maxLength={200}
        {...form.getInputProps("name")}
      />
      <TextInput
        label={words.slug}
        description={words.slugText}
        required
        maxLength={63}
        {...form.getInputProps("slug")}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={words.timeZone}
          description={words.timeZoneText}
          data={zones}
          searchable
          allowDeselect={false}
          limit={50}
          {...form.getInputProps("time_zone")}
        />
        <TextInput
          label={words.country}
          description={words.countryText}
          maxLength={2}
          rightSection={
            <Text size="xs" c="dimmed" pe="sm" truncate>
              {countryName(country)}
            </Text>
          }
          rightSectionWidth={130}
          {...form.getInputProps("default_country")}
        />
      </SimpleGrid>
      <Textarea
        label={words.postalAddress}
        description={words.postalAddressText}
        autosize
        minRows={2}
        maxLength={500}
        {...form.getInputProps("postal_address")}
      />
    </>
  )
}

const Row = ({ children, label }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="field">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** What each member may know. */
const Overview = ({ isOwner }: { readonly isOwner: boolean }) => {
  const words = useWords("settings")
  const { workspace } = useSession()
  const countryName = useCountryName()
  if (workspace === undefined) return null
  const { credits, default_country, name, plan, postal_address, time_zone } = workspace
  const texts = words.workspace
  return (
    <Paper p="lg" mt={isOwner ? "md" : 0}>
      <dl className="fields">
        {!isOwner && (
          <>
            <Row label={texts.name}>{name}</Row>
            <Row label={texts.slug}>{slug}</Row>
            <Row label={texts.timeZone}>{time_zone}</Row>
            <Row label={texts.country}>{`${default_country} ${countryName(default_country)}`}</Row>
            <Row label={texts.postalAddress}>{postal_address ?? "–"}</Row>
          </>
        )}
        <Row label={texts.plan}>{plan}</Row>
        <Row label={texts.credits}>{words.number(credits)}</Row>
      </dl>
    </Paper>
  )
}

const End = () => {
  const words = useWords("settings").workspace
  const [isAsking, setAsking] = useState(false)
  return (
    <Paper p="lg" mt="md" component="section" aria-label={words.delete} className="danger">
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} flex="1 1 15rem">
          <Text component="h2" fw={600} size="sm" m={0}>
            {words.delete}
          </Text>
          <Text size="sm" c="dimmed">
            {words.deleteText}
          </Text>
        </Stack>
        <Button color="red" variant="light" onClick={() => setAsking(true)}>
          {words.deleteAction}
        </Button>
      </Group>
      {isAsking && (
        <Suspense fallback={null}>
          <DeleteWorkspace onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </Paper>
  )
}

export const WorkspaceSettings = () => {
  const words = useWords("settings")
  const { may } = useSession()
  const isOwner = may("owner")
  return (
    <Section name="workspace" text={isOwner ? words.workspace.text : words.ownersOnly}>
      {isOwner && (
        <SettingsForm valuesOf={valuesOf} payloadOf={payloadOf} onSaved={goOn}>
          {(form) => <Fields form={form} />}
        </SettingsForm>
      )}
      <Overview isOwner={isOwner} />
      {isOwner && <End />}
    </Section>
  )
}
