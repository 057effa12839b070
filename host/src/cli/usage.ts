import { delimiter } from 'node:path';
import { dialectNames, logLevels } from '@tagway/schemas';

/** What the command prints of itself: its forms and its options. */
export const usage = `Usage: tagway [options]
       tagway plugin install FILE | list | remove NAME [options]
       tagway plugin search WORDS | info NAME | install NAME[@VERSION] | outdated | update [NAME] [options]
                                            finds plugins in the registries that are set, and installs them
       tagway plugin mirror DIR NAME[@VERSION]… [--key FILE] [options]
                                            copies packages into a folder for gateways without a network
       tagway plugin create driver | app NAME   makes the project of a new plugin in a folder of that name
       tagway profile list | install FILE | remove ID [options]
                                            device profiles: groups and tags of devices
       tagway profile search WORDS | install NAME[@VERSION] | outdated [options]
                                            finds profiles in the registries that are set, and installs them
       tagway profile check FOLDER|FILE     what is wrong with a profile, and how many requests it takes
       tagway profile create FOLDER NODE | FOLDER FILE.csv PLUGIN
                                            a profile of a node, or of a table of tags, to be completed
       tagway import FILE [options]         takes the configuration of another gateway: an export, or its database
       tagway config export | check | plan | apply | diff DIR [options]
                                            the configuration as a folder of files: writes it, says what is wrong
                                            with it without a gateway, what it would change, makes it so, and
                                            shows where files and gateway differ
       tagway pair status | switch [options]
                                            how the pair of gateways is; hands the plant over to the other one
       tagway fleet [--json] [options]      how the gateways are that this one shows in one view
       tagway backup FILE [--data DIR] [--force]
                                            packs the data folder, also while a gateway runs on it;
                                            with --force into a file that is there already
       tagway restore FILE [--data DIR]     checks a backup and puts it in the place of the data folder
       tagway doctor [options]              looks at this machine: what is wrong for a gateway, and what to do
       tagway service install [options] | uninstall | status
                                            the gateway with these options as a service of systemd

Runs the Tagway gateway: drivers poll field devices, apps send the values north, and
everything is managed over HTTP under /api/v2. The first login is admin with password 0000, from
this machine only, unless TAGWAY_ADMIN_PASSWORD sets another password.

Options                  Environment            Meaning (default)
  --data DIR             TAGWAY_DATA            Folder for everything that is kept (./tagway-data).
  --host ADDRESS         TAGWAY_HOST            Address to listen on (127.0.0.1).
  --port N               TAGWAY_PORT            Port to listen on, 0 for a free one (7000).
  --config FILE          TAGWAY_CONFIG          JSON file with these options as keys, such as
                                                {"port": 7001, "log-level": "info"}.
  --log-level LEVEL      TAGWAY_LOG_LEVEL       ${logLevels.join(', ')} (notice).
  --log-print            TAGWAY_LOG_PRINT       Copy the log to standard output.
  --log-level-revert S   TAGWAY_LOG_LEVEL_REVERT
                                                Seconds until a level that was changed over the API
                                                goes back to what it was; 0: never
                                                (0; 600 with --compat family).
  --license-ca FILE      TAGWAY_LICENSE_CA      Certificates of the authorities that sign licenses (PEM).
  --file-roots DIRS      TAGWAY_FILE_ROOTS      Folders that GET /file/info may list beside the libraries of
                                                the data folder, with "${delimiter}" between them.
  --runner-memory MB     TAGWAY_RUNNER_MEMORY   Heap limit of each plugin's process (256).
  --runner-user NAME     TAGWAY_RUNNER_USER     Where root runs the gateway: the user that plugins run as, which
                                                cannot read the gateway's keys.
  --body-limit BYTES     TAGWAY_BODY_LIMIT      Largest request body (16777216).
  --cors                 TAGWAY_CORS            Let web pages of other origins call the API.
  --trusted-proxy ADDRS  TAGWAY_TRUSTED_PROXY   Addresses or networks such as 10.0.0.0/8, with "," between them,
                                                of proxies that say in X-Forwarded-For whom a request is from.
  --admin-password TEXT  TAGWAY_ADMIN_PASSWORD  Password of admin, while that is still 0000. Prefer the environment.
  --tls auto             TAGWAY_TLS             Serve HTTPS with a certificate that the gateway makes for itself
                                                at its first start and keeps in the data folder.
  --tls-cert FILE        TAGWAY_TLS_CERT        Serve HTTPS with this certificate chain (PEM). It and the
  --tls-key FILE         TAGWAY_TLS_KEY         key are read again on SIGHUP.
  --compat DIALECT       TAGWAY_COMPAT          ${dialectNames.join(' or ')}: whose statuses and codes are
                                                answered where the two differ (specification).
  --name TEXT            TAGWAY_NAME            What this gateway is called in metrics (the name of the machine).
  --disable-auth         TAGWAY_DISABLE_AUTH    Ask for no token. Only where nobody else reaches the port.
  --inline               TAGWAY_INLINE          Run plugins inside the gateway's own process, for very
                                                small machines. A crashing plugin then ends the gateway.
  --safe                 TAGWAY_SAFE            Start the API alone; no node runs. For repairs.
  --require-signature    TAGWAY_REQUIRE_SIGNATURE
                                                Install signed libraries only. Public keys are the files
                                                trusted/*.pem in the data folder.
  --secrets-key FILE     TAGWAY_SECRETS_KEY     Key of the secrets in stored settings, 32 bytes in base64, for
                                                gateways that share a configuration (keys/secrets.key in the
                                                data folder, made at the first start).
  --pair ENDPOINTS       TAGWAY_PAIR            Be one of two gateways, of which one polls: the members of their
                                                etcd, such as http://10.0.0.5:2379,http://10.0.0.6:2379, with ","
                                                between them. Needs --pair-id and --secrets-key.
  --pair-id TEXT         TAGWAY_PAIR_ID         What both gateways call their pair. --name tells them apart.
  --pair-ca FILE         TAGWAY_PAIR_CA         Certificates of the authorities that signed those of etcd (PEM).
  --pair-cert FILE       TAGWAY_PAIR_CERT       Certificate by which etcd knows this gateway, and its key (PEM).
  --pair-key FILE        TAGWAY_PAIR_KEY
  --pair-url URL         TAGWAY_PAIR_URL        Where clients reach this gateway (from --host and --port).
  --config-source PLACE  TAGWAY_CONFIG_SOURCE   Keep the configuration as a folder has it that other programs fill,
                                                or a repository, git+https://HOST/PATH#BRANCH:FOLDER or
                                                git+ssh://USER@HOST/PATH#BRANCH:FOLDER: see docs/operate-many.md.
  --config-interval N    TAGWAY_CONFIG_INTERVAL Seconds between two looks at it (60).
  --config-drift MODE    TAGWAY_CONFIG_DRIFT    What is done with changes by hand: keep, report or revert (report).
  --config-vars NAME     TAGWAY_CONFIG_VARS     The file of variables, vars/NAME.yaml (that of --name, or of --pair-id, if there is one).
  --config-secrets DIR   TAGWAY_CONFIG_SECRETS  Folder with a file for each secret that the files refer to.
  --config-signed        TAGWAY_CONFIG_SIGNED   Take only commits that a key in trusted/commits of the data folder
                                                has signed.
  --config-token FILE    TAGWAY_CONFIG_TOKEN    File with the token that the server of git+https wants.
  --config-ca FILE       TAGWAY_CONFIG_CA       Authorities that signed the certificate of that server (PEM).
  --config-cert FILE     TAGWAY_CONFIG_CERT     Certificate by which that server knows this gateway (PEM).
  --config-key FILE      TAGWAY_CONFIG_KEY      Its key, or the deploy key of git+ssh.
  --config-known-hosts FILE                     Key of the server of git+ssh, as in known_hosts
                         TAGWAY_CONFIG_KNOWN_HOSTS
  --config-webhook FILE  TAGWAY_CONFIG_WEBHOOK  File with the secret of a webhook, by which a look is asked for.
  --otlp-endpoint URL    TAGWAY_OTLP_ENDPOINT   Send metrics to this collector of OpenTelemetry, by OTLP over HTTP,
                                                such as http://10.0.0.5:4318: see docs/opentelemetry.md.
  --otlp-logs            TAGWAY_OTLP_LOGS       Send it the log, too.
  --otlp-traces N        TAGWAY_OTLP_TRACES     Follow one in N readings to the servers of apps, too (0: none).
  --otlp-interval N      TAGWAY_OTLP_INTERVAL   Seconds between two times that metrics are sent (60).
  --otlp-timeout N       TAGWAY_OTLP_TIMEOUT    Seconds that a request to it may take (10).
  --otlp-compression C   TAGWAY_OTLP_COMPRESSION
                                                gzip or none (gzip).
  --otlp-resource LIST   TAGWAY_OTLP_RESOURCE   Attributes of this gateway, such as site=hall-3,team=water.
  --otlp-headers FILE    TAGWAY_OTLP_HEADERS    File with headers for it, one "name: value" in each line.
  --otlp-ca FILE         TAGWAY_OTLP_CA         Authorities that signed the certificate of the collector (PEM).
  --otlp-cert FILE       TAGWAY_OTLP_CERT       Certificate by which it knows this gateway, and its key (PEM).
  --otlp-key FILE        TAGWAY_OTLP_KEY
  --reset-password                              Set the password of admin back to 0000 and exit.
  --leave-pair                                  Have the data folder forget the pair that it belongs to, and exit.
  --version                                     Print the version and exit.
  --help                                        Print this text and exit.

Options of tagway plugin, profile, import, config and pair, which work on the data folder or, pair always, over the API:
  --url URL              TAGWAY_URL             The gateway that is to do it. Without this option it is the one
                                                that runs on the data folder; when none runs, the data
                                                folder is changed directly.
  --ca FILE              TAGWAY_CA              Certificates of the authorities that signed the one of the
                                                gateway at an https URL (PEM; those of the system).
  --user NAME            TAGWAY_USER            User of the API (admin).
  --password TEXT        TAGWAY_PASSWORD        Password of the user. Prefer the environment.
  --token TEXT           TAGWAY_TOKEN           Instead of user and password: a token of a machine, or of the provider
                                                of the sign-in. Prefer the environment.

Option of tagway fleet:
  --json                                        For machines.

Options of tagway config:
  --secrets DIR          TAGWAY_SECRETS         Folder with a file for each secret that the files refer to.
                                                Without it, those that the gateway keeps stay.
  --json                                        Of plan: for machines. It ends with 2 when something would change.
  --revision TEXT                               Of apply: the one that plan --json gave. Nothing is changed
                                                when somebody else has changed something since.
  --vars NAME                                   The gateway's file of variables in the folder, vars/NAME.yaml.
                                                Without it check takes one after the other.

Options of tagway plugin and profile, for packages of registries:
  --replaces ID                                 The package may take the place of this plugin, which came from
                                                elsewhere, with its nodes and their secrets, or of this profile.
  --accept KINDS                                What speaks against a package and was looked at: publisher,
                                                repository, attestation, name, with "," between them.
  --registry URL                                Ask this registry alone, or the mirror in file:DIR: on the data folder
                                                of a gateway that does not run.
  --prerelease                                  Of plugins: versions before a release count, too.
  --key FILE                                    Of plugin mirror: the private key (Ed25519, PEM) that signs the index.

Option of tagway service:
  --root DIR                                    The folder that stands for /, such as that of an image (/).

The command line goes before the environment, the environment before the configuration file.
Switches such as TAGWAY_SAFE are on with 1 or true and off with 0 or false; anything else is refused.
`;
