"""The public names of `ha.transformer`."""

from .baselines import NGram as NGram
from .blocks import AttentionLayer as AttentionLayer
from .blocks import stack as stack
from .delta_state import DeltaState as DeltaState
from .delta_state import delta_attention as delta_attention
from .encoder_decoder import EncoderDecoder as EncoderDecoder
from .feed_forward import Affine as Affine
from .feed_forward import FeedForward as FeedForward
from .first_word import FirstWord as FirstWord
from .interventions import worth as worth
from .linear_state import LinearState as LinearState
from .linear_state import linear_attention as linear_attention
from .message_passing import layer_by_messages as layer_by_messages
from .message_passing import pass_messages as pass_messages
from .message_passing import token_graph as token_graph
from .normalisation import LayerNorm as LayerNorm
from .normalisation import RMSNorm as RMSNorm
from .recurrent import Recurrent as Recurrent
from .recurrent import RecurrentDecoder as RecurrentDecoder
from .scaled_dot_product import free_energy as free_energy
